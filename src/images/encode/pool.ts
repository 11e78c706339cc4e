import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { GateError, printableLines } from '../../errors.ts';
import { moduleFile } from '../../lib/own-package.ts';
import { tailOf } from '../../lib/tail.ts';
import { forkDecoder } from './fork-decoder.ts';
import { type EncodeRequest, type EncodeSuccess, encodeReplySchema } from './protocol.ts';

const ENTRY = moduleFile('./encoder-process', import.meta.url);

/** Exit code of the encoder process for a fault of the machine rather than of a picture. */
const MACHINE_FAULT = 70;

/**
 * After this many pictures have crashed or hung the process, no more are tried. Each costs minutes, and so
 * many indicate an attack or a broken machine.
 */
const MAX_CULPRITS = 10;

/**
 * Longest time in milliseconds until a new process has loaded its code. Independent of the time for a
 * picture: on a busy machine, starting Node and sharp takes longer than most pictures.
 */
const START_TIMEOUT = 30_000;

/** Milliseconds between two checks for pictures that take too long. */
const CHECK_INTERVAL = 1000;

export type EncodeOutcome =
  | ({ ok: true } & EncodeSuccess)
  | { ok: false; code: string; message: string };

type EncodeJob = Omit<EncodeRequest, 'id' | 'folder'>;

interface EncoderOptions {
  /** Pictures in the encoder at the same time. */
  concurrency: number;
  /** Longest time for one picture in milliseconds, before it counts as a runaway. */
  timeout: number;
  /** For tests: instead of {@link START_TIMEOUT}. */
  startTimeout?: number;
  /** Folder of the outputs. The process may write only to this folder. */
  folder: string;
  /** The program of the process. For tests: a decoder that crashes, hangs or sends false replies. */
  entry?: string;
}

interface Waiting {
  job: EncodeJob;
  resolve: (outcome: EncodeOutcome) => void;
  reject: (error: unknown) => void;
  /** It was in the encoder during a crash. It is tried again without others, to find the culprit. */
  suspect: boolean;
  startedAt: number;
}

/**
 * One encoder process with several pictures in flight (libvips' own threads use the cores), started
 * when first needed. When it crashes or hangs, the pictures in flight are tried again one at a time. If one
 * crashes it again, only that picture fails.
 */
export class Encoder implements AsyncDisposable {
  readonly #options: Required<EncoderOptions>;
  readonly #queue: Waiting[] = [];
  readonly #inFlight = new Map<number, Waiting>();
  #child: ChildProcess | undefined;
  /** Whether the process has loaded its code. Before that it has read no picture. */
  #isReady = false;
  #nextId = 0;
  #stderrTail = () => '';
  #watch: NodeJS.Timeout | undefined;
  #lastCheck = 0;
  #isHung = false;
  #isClosed = false;
  #culprits = 0;

  constructor(options: EncoderOptions) {
    this.#options = { startTimeout: START_TIMEOUT, entry: ENTRY, ...options };
  }

  /**
   * Encodes one picture and writes its outputs. Never rejects for a fault of the picture.
   *
   * @throws after its disposal: downloads of an aborted run may end after that.
   */
  encode(job: EncodeJob): Promise<EncodeOutcome> {
    if (this.#isClosed) return Promise.reject(new Error('The encoder is closed.'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ job, resolve, reject, suspect: false, startedAt: 0 });
      this.#pump();
    });
  }

  /** Ends the process and waits for its exit. Pictures in flight are abandoned. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#watch);
    this.#watch = undefined;
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.removeAllListeners('exit');
    child.removeAllListeners('error');
    const exit = once(child, 'exit').catch(() => {});
    child.kill('SIGKILL');
    await exit;
  }

  #pump(): void {
    // Messages of a killed process may still arrive.
    if (this.#isClosed) return;
    if (this.#culprits >= MAX_CULPRITS) {
      for (const { resolve } of this.#queue.splice(0)) {
        resolve({
          ok: false,
          code: 'picture-not-tried',
          message: `${MAX_CULPRITS} pictures before it crashed or hung the decoder`,
        });
      }
      return;
    }
    while (this.#queue.length > 0) {
      const isSuspect = this.#queue[0]?.suspect === true;
      const limit = isSuspect ? 1 : this.#options.concurrency;
      const suspectRuns = [...this.#inFlight.values()].some(({ suspect }) => suspect);
      if (this.#inFlight.size >= limit || suspectRuns) return;
      const next = this.#queue.shift();
      if (next) this.#send(next);
    }
  }

  #send(waiting: Waiting): void {
    const id = this.#nextId++;
    waiting.startedAt = performance.now();
    this.#inFlight.set(id, waiting);
    const child = this.#start();
    // The process could not be started. Its error event follows.
    if (child.pid === undefined) return;
    const request: EncodeRequest = { id, folder: this.#options.folder, ...waiting.job };
    child.send(request, (error) => {
      // The process ended between two messages. Its exit handler takes care of the pictures.
      if (error) child.kill('SIGKILL');
    });
  }

  #start(): ChildProcess {
    if (this.#child) return this.#child;
    const { folder, entry, concurrency } = this.#options;
    const child = forkDecoder(entry, { folder, threads: Math.max(4, concurrency) });
    this.#stderrTail = tailOf(child.stderr);
    this.#isReady = false;
    child.on('message', (reply) => this.#receive(reply, child));
    child.on('exit', (code) => this.#crashed(code));
    child.on('error', (error) => this.#giveUp(error.message));
    this.#child = child;
    this.#lastCheck = performance.now();
    this.#watch ??= setInterval(() => this.#killRunaway(), CHECK_INTERVAL).unref();
    return child;
  }

  #receive(message: unknown, child: ChildProcess): void {
    if (message === 'ready') {
      this.#isReady = true;
      // The time of a picture does not include the start of the process.
      for (const waiting of this.#inFlight.values()) waiting.startedAt = performance.now();
      return;
    }
    const reply = encodeReplySchema.safeParse(message);
    const waiting = reply.success ? this.#inFlight.get(reply.data.id) : undefined;
    const isPlausible =
      waiting !== undefined && (!reply.data?.ok || reply.data.content.hash === waiting.job.hash);
    if (!reply.success || !isPlausible) {
      // An invalid reply means that a picture has taken over the decoder.
      child.kill('SIGKILL');
      return;
    }
    this.#inFlight.delete(reply.data.id);
    waiting.resolve(reply.data);
    this.#pump();
  }

  #killRunaway(): void {
    const now = performance.now();
    const wasSuspended = now - this.#lastCheck > 3 * CHECK_INTERVAL;
    this.#lastCheck = now;
    // This process was suspended. Replies may be waiting, so the time of the pictures starts again.
    if (wasSuspended) for (const waiting of this.#inFlight.values()) waiting.startedAt = now;
    for (const { startedAt } of this.#inFlight.values()) {
      const limit = this.#options[this.#isReady ? 'timeout' : 'startTimeout'];
      if (now - startedAt < limit) continue;
      this.#isHung = true;
      this.#child?.kill('SIGKILL');
      return;
    }
  }

  #crashed(exitCode: number | null): void {
    this.#child = undefined;
    const victims = [...this.#inFlight.values()];
    this.#inFlight.clear();
    const isHung = this.#isHung;
    this.#isHung = false;
    if (exitCode === MACHINE_FAULT || !this.#isReady) {
      this.#queue.unshift(...victims);
      const isSlow = isHung && !this.#isReady;
      this.#giveUp(
        isSlow ? `it was not ready after ${this.#options.startTimeout} ms` : this.#stderrTail(),
      );
      return;
    }
    const [victim] = victims;
    if (victim && victims.length === 1) {
      this.#culprits++;
      victim.resolve(
        isHung
          ? { ok: false, code: 'picture-runaway', message: 'decoding it took too long' }
          : { ok: false, code: 'picture-crash', message: 'it crashed the decoder' },
      );
    } else {
      this.#queue.unshift(...victims.map((waiting) => ({ ...waiting, suspect: true })));
    }
    this.#pump();
  }

  /** Fails all waiting pictures after a fault of the machine. */
  #giveUp(why: string): void {
    this.#child = undefined;
    const [code] = /\bE[A-Z]+(?=:|$)/.exec(why) ?? [];
    const reason = printableLines(why.trim()) || 'it gave no reason';
    const cause = Object.assign(new Error(why), { code, path: `${this.#options.folder}/` });
    const error = this.#isReady
      ? new GateError({
          code: 'media-encoder-failed',
          what: 'Thumbnails could not be written.',
          why: `The encoder process stopped: ${reason}`,
          fix: 'Check that the cache folder is writable and the disk has free space.',
          cause,
        })
      : new GateError({
          code: 'media-encoder-failed',
          what: 'The process that decodes pictures could not start.',
          why: `It may read only this program and its packages. It ended before the first picture: ${reason}`,
          fix: 'If the machine is very busy, build again later. Otherwise reinstall the packages (npm ci --include=optional). If node_modules links to another folder, install them in the project itself.',
          cause,
        });
    const waiting = [...this.#inFlight.values(), ...this.#queue.splice(0)];
    this.#inFlight.clear();
    for (const { reject } of waiting) reject(error);
  }
}
