import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { openFolder } from '../tree/place.ts';
import type { InspectContext, Inspected } from '../verify/inspect.ts';
import type { Answer, Lot, Order } from './orders.ts';

/**
 * Bytes that are handed over at once: a message for each file would cost more than writing it, and
 * starting a thread for less takes longer, a twentieth of a second.
 */
const LOT = 2 ** 20;
/**
 * Bytes that may wait there: more than the pages of a dealer, so that they are written while those of
 * the next are planned.
 */
const MOST_WAITING = 16 * LOT;

const encoder = new TextEncoder();

/** Puts a content at the beginning of some memory; says how long it is, or undefined: too long. */
function put(content: string | Uint8Array, memory: Uint8Array): number | undefined {
  if (typeof content === 'string') {
    const { read, written } = encoder.encodeInto(content, memory);
    return read === content.length ? written : undefined;
  }
  if (content.length > memory.length) return undefined;
  memory.set(content);
  return content.length;
}

interface Waiting extends PromiseWithResolvers<Answer> {
  size: number;
}

/**
 * A second thread beside the one that plans and renders. Making folders and files takes longer than
 * rendering what is in them (measured: 2 ms against 1 a vehicle), nearly all of it within the system,
 * and looking at them takes as long again. What few files need is done here, without it.
 */
export class Helper implements AsyncDisposable {
  readonly #context: Omit<InspectContext, 'personalWords'>;
  readonly #put: (file: string, content: string | Uint8Array) => void;
  #worker: Worker | undefined;
  #lot: Lot | undefined;
  #used = 0;
  /** Memory for lots that came back; it goes to and fro, so that nobody has to collect it. */
  readonly #free: ArrayBuffer[] = [];
  /** Orders that are not answered, oldest first, and the bytes in them. */
  readonly #waiting: Waiting[] = [];
  #size = 0;
  #failure: Error | undefined;

  /** @param context the folder to write into, and what to look for in its files. */
  constructor(context: Omit<InspectContext, 'personalWords'>) {
    this.#context = context;
    this.#put = openFolder(context.folder);
  }

  /** Writes a file, now or soon. */
  write(file: string, content: string | Uint8Array): void {
    let size = this.#lot && put(content, this.#lot.bytes.subarray(this.#used));
    if (size === undefined) {
      this.#handOver();
      // A character is three bytes at most.
      this.#lot = this.#newLot(content.length * 3);
      size = put(content, this.#lot.bytes) ?? 0;
    }
    this.#lot?.files.push([file, this.#used, this.#used + size]);
    this.#used += size;
  }

  /**
   * Waits while too much waits to be written.
   *
   * @throws why something could not be written.
   */
  async room(): Promise<void> {
    while (this.#size > MOST_WAITING) await this.#oneAnswer();
    if (this.#failure) throw this.#failure;
  }

  /** Waits until everything is written. @throws why something could not be. */
  async written(): Promise<void> {
    if (this.#worker) this.#handOver();
    else this.#putLot();
    while (this.#waiting.length > 0) await this.#oneAnswer();
    if (this.#failure) throw this.#failure;
  }

  /** Looks at files there; undefined where a second thread would only be in the way. */
  get inspect() {
    if (availableParallelism() < 2) return undefined;
    type Words = InspectContext['personalWords'];
    return (personalWords: Words) =>
      async (files: string[]): Promise<Inspected[]> => {
        const answer = await this.#order({ inspect: files, personalWords }, 0);
        return 'inspected' in answer ? answer.inspected : [];
      };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Nobody may write once the folder's lock is released.
    await this.#worker?.terminate();
  }

  #newLot(size: number): Lot {
    const memory = size > LOT ? undefined : this.#free.pop();
    this.#used = 0;
    return { bytes: new Uint8Array(memory ?? new ArrayBuffer(Math.max(size, LOT))), files: [] };
  }

  #handOver(): void {
    if (availableParallelism() < 2) {
      this.#putLot();
      return;
    }
    const lot = this.#lot;
    if (!lot) return;
    this.#lot = undefined;
    this.#order({ write: lot }, this.#used, [lot.bytes.buffer]).then(
      (answer) => {
        if ('written' in answer && answer.written.byteLength === LOT) {
          this.#free.push(answer.written);
        }
      },
      (error: Error) => {
        this.#failure ??= error;
      },
    );
  }

  #putLot(): void {
    if (!this.#lot) return;
    const { bytes, files } = this.#lot;
    this.#lot = undefined;
    for (const [file, start, end] of files) this.#put(file, bytes.subarray(start, end));
  }

  async #oneAnswer(): Promise<void> {
    // What came of it is told by whoever gave the order.
    await this.#waiting[0]?.promise.catch(() => {});
  }

  #order(order: Order, size: number, memory: ArrayBuffer[] = []): Promise<Answer> {
    const waiting = { size, ...Promise.withResolvers<Answer>() };
    this.#waiting.push(waiting);
    this.#size += size;
    this.#thread().postMessage(order, memory);
    return waiting.promise;
  }

  #thread(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./helper-thread.ts', import.meta.url), {
      workerData: this.#context,
      // What passes through lives for a moment; with the usual size 30 MB of it would lie about.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    worker.on('message', (answer: Answer) => {
      const order = this.#waiting.shift();
      this.#size -= order?.size ?? 0;
      if ('failed' in answer) {
        const { message, ...rest } = answer.failed;
        order?.reject(Object.assign(new Error(message), rest));
      } else order?.resolve(answer);
    });
    // It dies once, but says so twice; meanwhile another may have taken its place. What it was given
    // is lost with it, what comes after is not.
    const lost = (error: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#size = 0;
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    };
    worker.on('error', lost);
    worker.on('exit', (code) => lost(new Error(`The thread that writes files ended (${code})`)));
    this.#worker = worker;
    return worker;
  }
}
