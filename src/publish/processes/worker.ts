import { fork } from 'node:child_process';
import { processEnvironment } from '../../config/environment.ts';
import { printableLines } from '../../errors.ts';
import { moduleFile } from '../../lib/own-package.ts';
import type { Message, Order, Start } from './messages.ts';

const ENTRY = moduleFile('./worker-process', import.meta.url);

/** Most characters of a worker's error stream that are stored for its error message. */
const LONGEST_TAIL = 2000;

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
  let stderrTail = '';
  child.stderr?.on('data', (text: Buffer) => {
    stderrTail = (stderrTail + text.toString('utf8')).slice(-LONGEST_TAIL);
  });
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
    if (!failure && code === 0) resolve();
    else reject(failure ?? new Error(endOf(code ?? by, stderrTail)));
  });
  send({ start });
  return promise;
}

const endOf = (how: number | string | null, stderrTail: string): string =>
  `A process that builds pages ended (${how}). ${printableLines(stderrTail.trim())}`.trim();
