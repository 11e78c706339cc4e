import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { GateError } from '../../../errors.ts';
import type { S3Condition, S3Object } from '../../../lib/s3/client.ts';
import { underWay } from '../../host-api/errors.ts';
import type { HostRun } from '../../host-api/types.ts';
import type { Bucket } from './bucket.ts';

/** Name of the lock, which also lists the files that its deploy is about to change. */
const LOCK = '.deploying.json';

/** Milliseconds after which a running deploy writes its lock again. */
const BEAT = 30_000;
/** Milliseconds without a write after which a deploy counts as dead. */
const DEAD = 90_000;
/** Milliseconds between two reads of another deploy's lock. */
const POLL = 5_000;
/** Several deploys that want the lock at once may be refused in turn. */
const TRIES = 10;

const lockSchema = z.strictObject({
  version: z.literal(1),
  /** Of the deploy. */
  id: z.string().max(64),
  /** Changes with every write. */
  beat: z.int(),
  /** The deploy failed before it was finished. */
  ended: z.literal(true).optional(),
  /** Files that it sends or removes: until it is done, their state is unknown. */
  keys: z.array(z.string()),
});

type Content = Pick<z.infer<typeof lockSchema>, 'id' | 'ended' | 'keys'>;

function contentOf({ bytes }: S3Object): Content {
  try {
    return lockSchema.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    return { id: '', keys: [] };
  }
}

/** Files that an interrupted or running deploy is about to change. */
export async function readIntent(bucket: Bucket): Promise<string[]> {
  const found = await bucket.get(LOCK);
  return found ? contentOf(found).keys : [];
}

/**
 * Keeps two deploys from changing the same bucket at the same time, by an object and conditional
 * writes. A running deploy writes it every 30 s. One that was not written for 90 s, by the host's clock,
 * belongs to a dead deploy. The deploy that takes it over also adopts the list of files in it.
 */
export class Lock {
  /** Files that a dead deploy was about to change. */
  readonly adopted: readonly string[];
  readonly #bucket: Bucket;
  readonly #clock: HostRun['clock'];
  readonly #id: string;
  readonly #timer: NodeJS.Timeout;
  #etag: string;
  #keys: readonly string[];
  #beat = 0;
  /** When this deploy last wrote the lock. */
  #written: number;
  /** Whether the host obeys conditions. */
  #isObeyed = true;
  #isOvertaken = false;
  /** One write after the other: each needs the ETag of the one before. */
  #writing: Promise<void> = Promise.resolve();

  private constructor(
    bucket: Bucket,
    clock: HostRun['clock'],
    { id, etag, keys }: { id: string; etag: string; keys: readonly string[] },
  ) {
    this.#bucket = bucket;
    this.#clock = clock;
    this.#id = id;
    this.#etag = etag;
    this.#keys = keys;
    this.#written = clock.now();
    this.adopted = keys;
    // In addition to the checks before each file, since a single file may take long.
    this.#timer = setInterval(() => void this.check().catch(() => {}), BEAT / 3).unref();
  }

  /** @throws {GateError} another deploy is running. */
  static async take(bucket: Bucket, run: HostRun): Promise<Lock> {
    const id = randomUUID();
    for (let tries = 0; tries < TRIES; tries++) {
      const found = await bucket.get(LOCK);
      const theirs = found && contentOf(found);
      const keys = theirs?.keys ?? [];
      const open = (etag: string) => new Lock(bucket, run.clock, { id, etag, keys });
      // It was written, and the response was lost.
      if (found && theirs?.id === id) return open(found.etag);
      if (found && !theirs?.ended && !(await isDead(found, bucket, run))) continue;
      const condition: S3Condition = found ? { ifMatch: found.etag } : { ifNoneMatch: '*' };
      const etag = await bucket.putOwnIf(LOCK, textOf({ id, beat: 0, keys }), condition);
      if (etag !== undefined) return open(etag);
    }
    throw locked();
  }

  /** Whether the host obeys conditions; known once {@link intend} was called. */
  get isObeyed(): boolean {
    return this.#isObeyed;
  }

  /** Records the files that are about to be sent or removed. @throws {GateError} another deploy took over. */
  async intend(keys: readonly string[]): Promise<void> {
    this.#keys = keys;
    await this.#write(async () => {
      // The lock exists, so a host that obeys conditions refuses this.
      const etag = await this.#bucket.putOwnIf(LOCK, this.#next(), { ifNoneMatch: '*' });
      if (etag === undefined) return this.#put();
      this.#isObeyed = false;
      this.#etag = etag;
      this.#written = this.#clock.now();
    });
  }

  /** Call before each change. @throws {GateError} another deploy took over. */
  async check(): Promise<void> {
    if (this.#isOvertaken) throw overtaken();
    if (this.#isRecent) return;
    await this.#write(async () => {
      if (!this.#isRecent) await this.#put();
    });
  }

  async release(): Promise<void> {
    await this.check();
    clearInterval(this.#timer);
    await this.#bucket.remove(LOCK);
  }

  /** Gives up: the next deploy adopts the list of files, and need not wait. */
  async abandon(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#isOvertaken) return;
    if (this.#keys.length === 0) return this.#bucket.remove(LOCK);
    await this.#write(() => this.#put({ ended: true }));
  }

  /** Whether this deploy wrote the lock recently. False if the clock was set back since. */
  get #isRecent(): boolean {
    const age = this.#clock.now() - this.#written;
    return age >= 0 && age < BEAT;
  }

  #next(more: { ended?: true } = {}): string {
    return textOf({ id: this.#id, beat: ++this.#beat, ...more, keys: this.#keys });
  }

  #write(write: () => Promise<void>): Promise<void> {
    const writing = this.#writing.then(write);
    this.#writing = writing.catch(() => {});
    return writing;
  }

  async #put(more: { ended?: true } = {}): Promise<void> {
    // A host that ignores conditions is asked first.
    const found = this.#isObeyed ? undefined : await this.#bucket.get(LOCK);
    const isOurs = this.#isObeyed || (found && contentOf(found).id === this.#id);
    const condition = { ifMatch: found?.etag ?? this.#etag };
    const etag = isOurs
      ? await this.#bucket.putOwnIf(LOCK, this.#next(more), condition)
      : undefined;
    if (etag === undefined) {
      this.#isOvertaken = true;
      throw overtaken();
    }
    this.#etag = etag;
    this.#written = this.#clock.now();
  }
}

const textOf = (
  content: Omit<Content, 'keys'> & { beat: number; keys: readonly string[] },
): string => JSON.stringify({ version: 1, ...content });

/**
 * Watches another deploy's lock until it was not written for long enough.
 *
 * @returns whether its deploy is dead. False if it has ended meanwhile.
 * @throws {GateError} it is running.
 */
async function isDead(
  found: S3Object,
  bucket: Bucket,
  { clock, signal, notify }: HostRun,
): Promise<boolean> {
  const age = Math.max(0, found.age ?? 0);
  if (age >= DEAD) return true;
  const text =
    'Another deploy has locked the bucket: checking for up to 90 s whether it is running.';
  notify({ kind: 'line', text });
  const end = clock.now() + DEAD - age;
  while (clock.now() < end) {
    await clock.sleep(POLL, signal);
    const now = await bucket.get(LOCK);
    if (!now) return false;
    if (now.etag !== found.etag) throw locked();
  }
  return true;
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
