import { randomUUID } from 'node:crypto';
import pLimit from 'p-limit';
import { z } from 'zod';
import { GateError } from '../../../errors.ts';
import { matchingJson } from '../../../lib/json.ts';
import type { S3Condition, S3Object } from '../../../lib/s3/client.ts';
import { underWay } from '../../host-api/errors.ts';
import type { HostRun } from '../../host-api/types.ts';
import { type Bucket, INTERNAL } from './bucket.ts';

/** Name of the lock, which also lists the files that its deploy is about to change. */
const LOCK = '.deploying.json';

/** Milliseconds after which a running deploy writes its lock again. */
const BEAT = 30_000;
/** Milliseconds without a write after which a deploy counts as dead. */
const DEAD = 90_000;
/** Milliseconds between two reads of another deploy's lock. */
const POLL = 5_000;
/** Attempts. If several deploys want the lock at once, the host may refuse each of them a few times. */
const TRIES = 10;

const lockSchema = z.strictObject({
  version: z.literal(1),
  /** Identifies the deploy. */
  id: z.string().max(64),
  /** Changes with every write. */
  beat: z.int(),
  /** The deploy failed before it was finished. */
  ended: z.literal(true).optional(),
  /** Files that it sends or removes: until it is done, their state is unknown. */
  keys: z.array(z.string()),
});

type Content = z.infer<typeof lockSchema>;

/** The content of a lock. A damaged lock has no files. */
const contentOf = ({ bytes }: S3Object): Content =>
  matchingJson(bytes, lockSchema) ?? { version: 1, id: '', beat: 0, keys: [] };

/** Files that an interrupted or running deploy is about to change. */
export async function readIntent(bucket: Bucket): Promise<string[]> {
  const object = await bucket.get(LOCK);
  return object ? contentOf(object).keys : [];
}

/**
 * Keeps two deploys from changing the same bucket at the same time, by an object and conditional
 * writes. A running deploy writes it every 30 s. If it was not written for 90 s by the host's clock, its
 * deploy is dead. The deploy that takes it over also adopts the list of files in it.
 */
export class Lock {
  /** Files that a dead deploy was about to change. */
  readonly adopted: readonly string[];
  #bucket: Bucket;
  readonly #clock: HostRun['clock'];
  readonly #timer: NodeJS.Timeout;
  #content: Content;
  /** When this deploy last wrote the lock. */
  #written: number;
  /** Serialises writes, because each reads the previous one. */
  readonly #oneByOne = pLimit(1);

  private constructor(bucket: Bucket, clock: HostRun['clock'], content: Content) {
    this.#bucket = bucket;
    this.#clock = clock;
    this.#content = content;
    this.#written = clock.now();
    this.adopted = content.keys;
    // In addition to the checks before each file, because a single file may take long.
    this.#timer = setInterval(() => void this.check().catch(() => {}), BEAT / 3).unref();
  }

  /** @throws {GateError} another deploy is running. */
  static async take(bucket: Bucket, run: HostRun): Promise<Lock> {
    const content: Content = { version: 1, id: randomUUID(), beat: 0, keys: [] };
    for (let tries = 0; tries < TRIES; tries++) {
      const object = await bucket.get(LOCK);
      const other = object && contentOf(object);
      content.keys = other?.keys ?? [];
      // The write succeeded, but its response was lost.
      if (other?.id === content.id) return new Lock(bucket, run.clock, content);
      if (object && !other?.ended) await untilDead(object, bucket, run);
      const condition: S3Condition = object ? { ifMatch: object.etag } : { ifNoneMatch: '*' };
      const etag = await bucket.putIf(LOCK, JSON.stringify(content), condition, INTERNAL);
      if (etag !== undefined) return new Lock(bucket, run.clock, content);
    }
    throw locked();
  }

  /**
   * Records the files that are about to be sent or removed.
   *
   * @returns whether the host obeys conditions.
   * @throws {GateError} another deploy took over.
   */
  intend(keys: string[]): Promise<boolean> {
    return this.#oneByOne(async () => {
      await this.#put({ keys });
      // The lock exists, so a host that obeys conditions refuses this.
      const text = JSON.stringify(this.#content);
      const etag = await this.#bucket.putIf(LOCK, text, { ifNoneMatch: '*' }, INTERNAL);
      return etag === undefined;
    });
  }

  /** Call before each change. @throws {GateError} another deploy took over. */
  async check(): Promise<void> {
    if (this.#isRecent) return;
    await this.#oneByOne(async () => {
      if (!this.#isRecent) await this.#put();
    });
  }

  async release(): Promise<void> {
    await this.check();
    clearInterval(this.#timer);
    await this.#bucket.delete(LOCK);
  }

  /** Gives up: the next deploy adopts the list of files, and need not wait. @param bucket with a working client. */
  async abandon(bucket: Bucket): Promise<void> {
    clearInterval(this.#timer);
    this.#bucket = bucket;
    try {
      await this.#oneByOne(() => this.#put({ ended: true }));
    } catch {
      // Another deploy took over, or the host cannot be reached: the lock expires.
    }
  }

  /** Whether this deploy wrote the lock recently. False if the clock was set back since. */
  get #isRecent(): boolean {
    const age = this.#clock.now() - this.#written;
    return age >= 0 && age < BEAT;
  }

  /** The lock is read first, because some hosts ignore conditions. */
  async #put(changes: Partial<Content> = {}): Promise<void> {
    const object = await this.#bucket.get(LOCK);
    if (!object || contentOf(object).id !== this.#content.id) throw overtaken();
    this.#content = { ...this.#content, ...changes, beat: this.#content.beat + 1 };
    const condition = { ifMatch: object.etag };
    const text = JSON.stringify(this.#content);
    const etag = await this.#bucket.putIf(LOCK, text, condition, INTERNAL);
    if (etag === undefined) throw overtaken();
    this.#written = this.#clock.now();
  }
}

/** Watches another deploy's lock until that deploy counts as dead or ends. @throws {GateError} it is running. */
async function untilDead(
  object: S3Object,
  bucket: Bucket,
  { clock, signal, console }: HostRun,
): Promise<void> {
  const { age = 0 } = object;
  if (age >= DEAD) return;
  console.line(
    'Another deploy has locked the bucket: checking for up to 90 s whether it is running.',
  );
  const end = clock.now() + DEAD - age;
  while (clock.now() < end) {
    await clock.sleep(POLL, signal);
    const current = await bucket.get(LOCK);
    if (!current) return;
    if (current.etag !== object.etag) throw locked();
  }
}

const locked = (): GateError =>
  underWay('bucket', `It writes ${LOCK} in the bucket every ${BEAT / 1000} s.`);

const overtaken = (): GateError =>
  new GateError({
    code: 'deploy-overtaken',
    what: 'Another deploy considered this one dead, and took over.',
    why: `This one had not written ${LOCK} in the bucket for ${DEAD / 1000} s, for example because the machine was asleep.`,
    fix: 'Nothing: the other one finishes both. Deploy again if this one had the newer site.',
  });
