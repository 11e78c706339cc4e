import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../errors.ts';
import type { EncodeReply, EncodeRequest, EncodeSuccess } from './protocol.ts';

const ENTRY = fileURLToPath(new URL('./encoder-process.ts', import.meta.url));

/** Exit code with which the encoder process says that the machine, not a picture, is at fault. */
const MACHINE_FAULT = 70;

export type EncodeOutcome =
  | ({ ok: true } & EncodeSuccess)
  | { ok: false; code: string; message: string };

export type EncodeJob = Omit<EncodeRequest, 'id'>;

export interface EncoderOptions {
  /** Pictures in the encoder at the same time. */
  concurrency: number;
  /** Longest time for one picture in milliseconds, before it counts as a runaway. */
  timeout: number;
}

interface Waiting {
  job: EncodeJob;
  resolve: (outcome: EncodeOutcome) => void;
  reject: (error: unknown) => void;
  /** It was in the encoder when that crashed: it runs alone now, so that the culprit is known. */
  suspect: boolean;
  startedAt: number;
}

/**
 * One encoder process with several pictures in flight (libvips' own threads use the cores), started
 * when first needed. When it crashes or hangs, the pictures that were in flight are tried again one
 * at a time; the one that does it again is the culprit and fails alone.
 */
export class Encoder {
  readonly #options: EncoderOptions;
  readonly #queue: Waiting[] = [];
  readonly #inFlight = new Map<number, Waiting>();
  #child: ChildProcess | undefined;
  #nextId = 0;
  #watch: NodeJS.Timeout | undefined;
  #hung = false;

  constructor(options: EncoderOptions) {
    this.#options = options;
  }

  /** Encodes one picture and writes its outputs. Never rejects for a fault of the picture. */
  encode(job: EncodeJob): Promise<EncodeOutcome> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ job, resolve, reject, suspect: false, startedAt: 0 });
      this.#pump();
    });
  }

  /** Ends the process and waits until it has ended. Pictures in flight are given up. */
  async close(): Promise<void> {
    clearInterval(this.#watch);
    this.#watch = undefined;
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.removeAllListeners('exit');
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGKILL');
    await ended;
  }

  #pump(): void {
    while (this.#queue.length > 0) {
      const alone = this.#queue[0]?.suspect === true;
      const room = alone ? 1 : this.#options.concurrency;
      const suspectRuns = [...this.#inFlight.values()].some(({ suspect }) => suspect);
      if (this.#inFlight.size >= room || suspectRuns) return;
      const next = this.#queue.shift();
      if (next) this.#send(next);
    }
  }

  #send(waiting: Waiting): void {
    const id = this.#nextId++;
    waiting.startedAt = performance.now();
    this.#inFlight.set(id, waiting);
    const child = this.#start();
    child.send({ id, ...waiting.job } satisfies EncodeRequest, (error) => {
      // The process went away between two messages; its exit handler sees to the pictures.
      if (error) child.kill('SIGKILL');
    });
  }

  #start(): ChildProcess {
    if (this.#child) return this.#child;
    const child = fork(ENTRY, ['--encoder'], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      // Nothing of our environment: the decoder must not even be able to see a key.
      env: {
        UV_THREADPOOL_SIZE: String(Math.max(4, this.#options.concurrency)),
        // glibc gives each thread memory of its own and keeps it: 50 MB more at 2 cores (measured).
        MALLOC_ARENA_MAX: '2',
      },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child.on('message', (reply: EncodeReply) => this.#settle(reply));
    child.on('exit', (code) => this.#crashed(code));
    this.#child = child;
    this.#watch ??= setInterval(() => this.#killRunaway(), 1000).unref();
    return child;
  }

  #settle(reply: EncodeReply): void {
    const waiting = this.#inFlight.get(reply.id);
    this.#inFlight.delete(reply.id);
    waiting?.resolve(reply);
    this.#pump();
  }

  #killRunaway(): void {
    const now = performance.now();
    for (const { startedAt } of this.#inFlight.values()) {
      if (now - startedAt < this.#options.timeout) continue;
      this.#hung = true;
      this.#child?.kill('SIGKILL');
      return;
    }
  }

  #crashed(exitCode: number | null): void {
    this.#child = undefined;
    const victims = [...this.#inFlight.values()];
    this.#inFlight.clear();
    const hung = this.#hung;
    this.#hung = false;
    if (exitCode === MACHINE_FAULT) {
      const error = new AppError({
        code: 'media-encoder-failed',
        what: 'Thumbnails could not be written.',
        why: 'The encoder process stopped; its message stands above.',
        fix: 'Check that the cache folder is writable and the disk has room.',
      });
      for (const { reject } of [...victims, ...this.#queue.splice(0)]) reject(error);
      return;
    }
    const [only] = victims;
    if (only && victims.length === 1) {
      only.resolve(
        hung
          ? { ok: false, code: 'picture-runaway', message: 'decoding it took too long' }
          : { ok: false, code: 'picture-crash', message: 'it crashed the decoder' },
      );
    } else {
      this.#queue.unshift(...victims.map((waiting) => ({ ...waiting, suspect: true })));
    }
    this.#pump();
  }
}
