import { fork } from 'node:child_process';
import { processEnvironment } from '../../config/environment.ts';
import { printableLines } from '../../errors.ts';
import { moduleFile } from '../../lib/own-package.ts';
import { tailOf } from '../../lib/tail.ts';
import type { Message, Order, Start } from './messages.ts';

const ENTRY = moduleFile('./worker-process', import.meta.url);

interface WorkerOptions {
  start: Start;
  /** The next dealers to fetch. */
  take: () => readonly number[];
  onMessage: (message: Exclude<Message, { take: true }>) => void;
  /** Kills it. */
  signal: AbortSignal;
}

/**
 * Runs a process that builds dealers beside this one until none is left: planning and rendering pages
 * keeps a core busy, and the memory of a process is freed when it ends.
 *
 * @throws if it does not end by itself.
 */
export function runWorker({ start, take, onMessage, signal }: WorkerOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = fork(ENTRY, {
    serialization: 'advanced',
    // One heap for all threads of the process: glibc's heaps of single threads took a quarter of its memory
    // (measured), and the same CPU.
    env: { ...processEnvironment(), MALLOC_ARENA_MAX: '1' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    signal,
    killSignal: 'SIGKILL',
  });
  const stderrTail = tailOf(child.stderr);
  let failure: Error | undefined;
  // The exit of a worker that has ended gives the reason.
  const send = (order: Order) => child.connected && child.send(order, () => {});
  child.on('message', (message: Message) => {
    if ('take' in message) send({ dealers: take() });
    else onMessage(message);
  });
  child.on('error', (error) => {
    failure = error;
  });
  child.on('close', (code, by) => {
    const end = `A process that builds pages ended (${code ?? by}). ${printableLines(stderrTail())}`;
    if (!failure && code === 0) resolve();
    else reject(failure ?? new Error(end.trim()));
  });
  send({ start });
  return promise;
}
