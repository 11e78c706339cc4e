import type { IncomingMessage, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { serve } from './server.ts';

export { failureOf } from './thrown.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on this machine that sends the given answers, until the test ends. */
export async function startAnswerServer(answer: Answer) {
  const asked: URL[] = [];
  const { url, close } = await serve((request, response) => {
    asked.push(new URL(request.url ?? '', 'http://server'));
    answer(request, response);
  });
  onTestFinished(close);
  return { url, asked };
}

/** Returns the responses in turn, and then repeats the last one. */
export function inTurn(
  ...answers: (readonly [status: number, body: string | Uint8Array, headers?: object])[]
): Answer {
  let at = 0;
  return (_, response) => {
    const [status, body, headers] = answers[Math.min(at++, answers.length - 1)] ?? [500, ''];
    response.writeHead(status, { ...headers }).end(body);
  };
}
