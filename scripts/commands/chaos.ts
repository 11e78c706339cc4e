import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { EXIT } from '../../src/errors.ts';
import type { Run } from '../../src/lib/command-line/definition.ts';
import { createConsole, timeText } from '../../src/lib/terminal/progress.ts';
import { playSeed } from '../../test/chaos/seed.ts';
import { setStage } from '../../test/chaos/stage.ts';
import type { CHAOS_OPTIONS } from './options.ts';

const SCRIPT = fileURLToPath(new URL('../run.ts', import.meta.url));

interface Seeds {
  first: number;
  count: number;
}

interface PlayOptions {
  print(text: string): void;
  /** Reports each step of a seed. */
  notify?(text: string): void;
  /** Called after each seed. */
  onSeed(hasPassed: boolean): void;
}

/** Plays seeds in this process. */
async function play(
  { first, count }: Seeds,
  { print, notify = () => {}, onSeed }: PlayOptions,
): Promise<void> {
  await using stage = await setStage();
  for (let seed = first; seed < first + count; seed++) {
    const problems = await playSeed(seed, stage, notify);
    onSeed(problems.length === 0);
    if (problems.length === 0) continue;
    print(`seed ${seed} failed:`);
    for (const text of problems) print(`  ${text}`);
    print(`  replay: npm run chaos -- --seed ${seed}`);
  }
}

/** Plays seeds in another process. If it ends early, its other seeds do not pass. */
async function playElsewhere(
  { first, count }: Seeds,
  onSeed: PlayOptions['onSeed'],
): Promise<void> {
  const child = fork(SCRIPT, ['chaos', '--from', `${first}`, '--seeds', `${count}`, '--jobs', '1']);
  child.on('message', onSeed);
  await once(child, 'close');
}

export const run: Run<typeof CHAOS_OPTIONS> = async ({ values }, { stdout }) => {
  const { seed, from: first, seeds: count, jobs } = values;
  const print = (text: string) => stdout.write(`${text}\n`);
  // The parent of a part prints the sum.
  const quiet = values.quiet || seed !== undefined || process.send !== undefined;
  const lines = createConsole({ stream: stdout, quiet });
  const start = performance.now();
  let done = 0;
  let passed = 0;
  const onSeed = (hasPassed: boolean) => {
    done++;
    if (hasPassed) passed++;
    process.send?.(hasPassed);
    lines.progress(`Seeds: ${done} of ${count}`, done / count);
  };
  if (seed !== undefined) {
    await play({ first: seed, count: 1 }, { print, notify: print, onSeed });
    return passed === 1 ? EXIT.published : EXIT.internal;
  }
  if (jobs > 1) {
    const size = Math.ceil(count / jobs);
    const parts: Promise<void>[] = [];
    for (let from = first; from < first + count; from += size) {
      const part = { first: from, count: Math.min(size, first + count - from) };
      parts.push(playElsewhere(part, onSeed));
    }
    await Promise.all(parts);
  } else await play({ first, count }, { print, onSeed });
  lines.finish();
  const time = timeText(performance.now() - start);
  lines.line(
    `chaos, seeds ${first} to ${first + count - 1}: ${passed} passed, ${count - passed} failed (${time})`,
  );
  return passed === count ? EXIT.published : EXIT.internal;
};
