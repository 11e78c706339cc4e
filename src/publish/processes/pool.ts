import { type ChildProcess, fork } from 'node:child_process';
import { fromPlainError, printableLines } from '../../errors.ts';
import { moduleFile } from '../../lib/own-package.ts';
import type { BuiltChunk } from '../chunk/built-chunk.ts';
import type { ProgressEvent } from '../report/build-progress.ts';
import type { Message, Order, Start } from './messages.ts';

const ENTRY = moduleFile('./worker-process', import.meta.url);

/** Most characters of a worker's error stream that are stored for its error message. */
const LONGEST_TAIL = 2000;

export interface PoolOptions {
  start: () => Start;
  /** The next dealers to fetch. */
  take: () => readonly number[];
  onBuilt: (chunk: BuiltChunk) => void;
  onProgress: (event: ProgressEvent, from: number) => void;
  onFailed: (error: Error) => void;
  /** Stops them all. */
  signal: AbortSignal | undefined;
}

/**
 * Worker processes that build dealers beside this one: planning and rendering pages keeps a
 * core busy, and the memory of a process is freed when it ends.
 */
export class WorkerPool implements AsyncDisposable {
  readonly #options: PoolOptions;
  readonly #children = new Set<ChildProcess>();
  readonly #ends: Promise<void>[] = [];

  constructor(options: PoolOptions) {
    this.#options = options;
    options.signal?.addEventListener('abort', () => this.#kill(), { once: true });
  }

  /** Starts so many more. */
  start(count: number): void {
    for (let one = 0; one < count; one++) {
      const end = this.#run(this.#ends.length + 1);
      // `done` reports the error as well, but may be called later.
      end.catch(this.#options.onFailed);
      this.#ends.push(end);
    }
  }

  /**
   * Waits until all have ended.
   *
   * @throws why the first of them failed.
   */
  async done(): Promise<void> {
    try {
      await Promise.all(this.#ends);
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      throw error;
    }
  }

  /** Stops those that still run, and waits until they have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#kill();
    await Promise.allSettled(this.#ends);
  }

  #kill(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }

  #run(number: number): Promise<void> {
    const { start, take, onBuilt, onProgress } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const child = fork(ENTRY, {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#children.add(child);
    let stderrTail = '';
    child.stderr?.on('data', (text: Buffer) => {
      stderrTail = (stderrTail + text.toString('utf8')).slice(-LONGEST_TAIL);
    });
    let failure: Error | undefined;
    // The exit of a worker that has ended gives the reason.
    const notify = (order: Order) => child.connected && child.send(order, () => {});
    child.on('message', (message: Message) => {
      if ('take' in message) notify({ dealers: take() });
      else if ('progress' in message) onProgress(message.progress, number);
      else {
        const chunk = 'built' in message ? message.built : message.chunk;
        onBuilt({ ...chunk, process: number });
        if ('failed' in message) failure = fromPlainError(message.failed);
      }
    });
    child.on('error', (error) => {
      failure ??= error;
    });
    child.on('close', (code, signal) => {
      this.#children.delete(child);
      if (!failure && code === 0) resolve();
      else reject(failure ?? new Error(endOf(code ?? signal, stderrTail)));
    });
    notify({ start: start() });
    return promise;
  }
}

const endOf = (how: number | string | null, stderrTail: string): string =>
  `A process that builds pages ended (${how}). ${printableLines(stderrTail.trim())}`.trim();
