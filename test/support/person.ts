import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { createAsker } from '../../src/setup/init/ask.ts';
import { askPerson } from '../../src/setup/init/questions.ts';

export const ENTER = '\r';
export const DOWN = '\u001b[B';

/** The questions about a dealer after its name, with the proposed answers. */
export const REST_OF_DEALER = [
  ['First part of the URLs of its pages', ENTER],
  ['Phone number', ENTER],
  ['Add another dealer?', 'n'],
] as const;

/** Types answers, each after its question appears. */
async function person(answers: readonly (readonly [question: string, keys: string])[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  let screen = '';
  output.on('data', (chunk) => {
    screen += stripVTControlCharacters(String(chunk));
  });
  Object.assign(output, { columns: 100, rows: 40 });
  const asker = createAsker({ input, output });
  const typing = (async () => {
    let seen = 0;
    for (const [question, keys] of answers) {
      while (!screen.slice(seen).includes(question)) await sleep(5);
      seen = screen.indexOf(question, seen) + question.length;
      await sleep(20);
      for (const key of keys) {
        input.write(key);
        await sleep(2);
      }
    }
  })();
  return { asker, typing, screen: () => screen };
}

/** The result of init's questions with these answers. */
export async function answered(
  answers: Parameters<typeof person>[0],
  options: Partial<Parameters<typeof askPerson>[1]> = {},
) {
  const { asker, typing, screen } = await person(answers);
  try {
    return { ...(await askPerson(asker, { present: () => undefined, ...options })), screen };
  } finally {
    await typing;
  }
}
