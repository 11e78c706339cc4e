import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { openFolder } from '../tree/place.ts';
import type { InspectContext, Inspected } from '../verify/inspect.ts';
import type { Answer, NewFile, Order } from './orders.ts';

/** Characters that are handed over at once: a message for each file would cost more than writing it. */
const LOT = 256 * 1024;
/** What waits here until it is worth starting a thread, which takes a twentieth of a second. */
const FEW = 4 * LOT;
/** Characters that may wait there: rendering goes on meanwhile, and memory stays bounded. */
const MOST_WAITING = 16 * LOT;

interface Waiting extends PromiseWithResolvers<Answer> {
  size: number;
}

/**
 * A second thread beside the one that plans and renders. Making folders and files takes longer than
 * rendering what is in them (measured: 2 ms against 1 a vehicle), nearly all of it within the system,
 * and looking at them takes as long again. What few files need is done here, without it.
 */
export class Helper implements AsyncDisposable {
  readonly #context: InspectContext;
  readonly #put: (file: string, content: string | Uint8Array) => void;
  #worker: Worker | undefined;
  #lot: NewFile[] = [];
  #lotSize = 0;
  /** Orders that are not answered, oldest first, and the characters in them. */
  readonly #waiting: Waiting[] = [];
  #size = 0;
  #failure: Error | undefined;

  /** @param context the folder to write into, and what to look for in its files. */
  constructor(context: InspectContext) {
    this.#context = context;
    this.#put = openFolder(context.folder);
  }

  /** Writes a file, now or soon. */
  write(file: string, content: string | Uint8Array): void {
    this.#lot.push([file, content]);
    this.#lotSize += content.length;
    if (this.#lotSize >= (this.#worker ? LOT : FEW)) this.#handOver();
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
    for (const [file, content] of this.#lot) this.#put(file, content);
    this.#lot = [];
    this.#lotSize = 0;
    while (this.#size > 0) await this.#oneAnswer();
    if (this.#failure) throw this.#failure;
  }

  /** Looks at files there; undefined where a second thread would only be in the way. */
  get inspect(): ((files: string[]) => Promise<Inspected[]>) | undefined {
    if (availableParallelism() < 2) return undefined;
    return async (files) => {
      const answer = await this.#order({ inspect: files }, 0);
      return 'inspected' in answer ? answer.inspected : [];
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Nobody may write once the folder's lock is released.
    await this.#worker?.terminate();
  }

  #handOver(): void {
    if (this.#lot.length === 0) return;
    if (availableParallelism() < 2) {
      for (const [file, content] of this.#lot) this.#put(file, content);
    } else {
      const order = this.#order({ write: this.#lot }, this.#lotSize);
      order.catch((error: Error) => {
        this.#failure ??= error;
      });
    }
    this.#lot = [];
    this.#lotSize = 0;
  }

  async #oneAnswer(): Promise<void> {
    // What came of it is told by whoever gave the order.
    await this.#waiting[0]?.promise.catch(() => {});
  }

  #order(order: Order, size: number): Promise<Answer> {
    const waiting = { size, ...Promise.withResolvers<Answer>() };
    this.#waiting.push(waiting);
    this.#size += size;
    this.#thread().postMessage(order);
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
    const lost = (error: Error) => {
      this.#size = 0;
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    };
    worker.on('error', lost);
    worker.on('exit', (code) => lost(new Error(`The thread that writes files ended (${code})`)));
    this.#worker = worker;
    return worker;
  }
}
