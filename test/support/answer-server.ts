import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { AppError } from '../../src/errors.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on this machine that sends the given answers, until the test ends. */
export async function startAnswerServer(answer: Answer) {
  const asked: URL[] = [];
  const server = createServer((request, response) => {
    asked.push(new URL(request.url ?? '', 'http://server'));
    answer(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** Answers one after the other; the last again and again. */
export function inTurn(
  ...answers: (readonly [status: number, body: string, headers?: object])[]
): Answer {
  let at = 0;
  return (_, response) => {
    const [status, body, headers] = answers[Math.min(at++, answers.length - 1)] ?? [500, ''];
    response.writeHead(status, { ...headers }).end(body);
  };
}

/** What is thrown in place of an answer. */
export async function thrownBy(promise: Promise<unknown>): Promise<AppError> {
  return promise.then(
    () => expect.unreachable('it gave an answer'),
    (error) => error as AppError,
  );
}
