import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { GateError } from '../../../errors.ts';
import type { Clock } from '../../../lib/http/http.ts';
import type { S3Object } from '../../../lib/s3/client.ts';
import { underWay } from '../../host-api/errors.ts';
import type { HostRun } from '../../host-api/types.ts';
import { type Bucket, isKey } from './bucket.ts';

/** Name of the lock, which also says what its deploy is about to change. */
const LOCK = '.deploying.json';

/** Milliseconds after which a deploy says that it goes on. */
const BEAT = 30_000;
/** Milliseconds of silence after which it is dead. */
const DEAD = 90_000;
/** Milliseconds between two looks at somebody else's. */
const LOOK = 5_000;
/** Several that want it at once may be refused in turn. */
const TRIES = 10;

const lockSchema = z.strictObject({
  version: z.literal(1),
  /** Of the deploy. */
  id: z.string().max(64),
  /** Changes as long as it lives. */
  beat: z.int(),
  /** It ended, and not all that it began was done. */
  ended: z.literal(true).optional(),
  /** What it sends or removes: nobody knows what is there under these names until it is done. */
  keys: z.array(z.string()),
});

type Content = z.infer<typeof lockSchema>;

function contentOf({ bytes }: S3Object): Pick<Content, 'id' | 'ended' | 'keys'> {
  try {
    const content = lockSchema.parse(JSON.parse(bytes.toString('utf8')));
    return { ...content, keys: content.keys.filter(isKey) };
  } catch {
    return { id: '', keys: [] };
  }
}

/** What a deploy that was cut off, or that is under way, has in hand. */
export async function readIntent(bucket: Bucket): Promise<string[]> {
  const found = await bucket.get(LOCK);
  return found ? contentOf(found).keys : [];
}

/**
 * Keeps others from deploying to the same place at the same time, by an object there and conditional
 * writes. A deploy that is alive changes it every 30 s, by the host's clock: one that is as it was for
 * 90 s is that of a dead one, and whoever takes it over also takes over what that one had in hand.
 */
export class Lock {
  /** What a dead deploy had in hand. */
  readonly adopted: readonly string[];
  readonly #bucket: Bucket;
  readonly #clock: Clock;
  readonly #id: string;
  readonly #timer: NodeJS.Timeout;
  #etag: string;
  #keys: readonly string[];
  #beat = 0;
  #last: number;
  /** Whether the host obeys conditions. */
  #isObeyed = true;
  #overtaken = false;
  /** One write after the other: each needs the ETag of the one before. */
  #writing: Promise<void> = Promise.resolve();

  private constructor(
    bucket: Bucket,
    clock: Clock,
    { id, etag, keys }: { id: string; etag: string; keys: readonly string[] },
  ) {
    this.#bucket = bucket;
    this.#clock = clock;
    this.#id = id;
    this.#etag = etag;
    this.#keys = keys;
    this.#last = clock.now();
    this.adopted = keys;
    // Besides the checks before each file: one of them may take long.
    this.#timer = setInterval(() => void this.check().catch(() => {}), BEAT / 3).unref();
  }

  /**
   * @throws {GateError} another deploy is under way.
   */
  static async take(bucket: Bucket, run: HostRun): Promise<Lock> {
    const id = randomUUID();
    for (let tries = 0; tries < TRIES; tries++) {
      const found = await bucket.get(LOCK);
      const theirs = found && contentOf(found);
      const keys = theirs?.keys ?? [];
      // Its answer was lost.
      if (found && theirs?.id === id)
        return new Lock(bucket, run.clock, { id, etag: found.etag, keys });
      if (found && !theirs?.ended && !(await isDead(found, bucket, run))) continue;
      const etag = await bucket.putOwnIf(
        LOCK,
        textOf({ id, beat: 0, keys }),
        found ? { ifMatch: found.etag } : { ifNoneMatch: '*' },
      );
      if (etag !== undefined) return new Lock(bucket, run.clock, { id, etag, keys });
    }
    throw underWay('bucket', `It says so every ${BEAT / 1000} s in ${LOCK}, in the bucket.`);
  }

  /** Whether the host keeps two deploys apart; known once {@link intend} was called. */
  get isObeyed(): boolean {
    return this.#isObeyed;
  }

  /** Records what is going to be sent or removed. @throws {GateError} another deploy took the lock over. */
  async intend(keys: readonly string[]): Promise<void> {
    this.#keys = keys;
    await this.#write(async () => {
      const text = this.#next();
      // It lies there, so a host that obeys conditions refuses this.
      const etag = await this.#bucket.putOwnIf(LOCK, text, { ifNoneMatch: '*' });
      if (etag === undefined) return this.#put(text);
      this.#isObeyed = false;
      this.#etag = etag;
      this.#last = this.#clock.now();
    });
  }

  /** Whether this deploy wrote the lock lately. If the clock was set back since, that is not known. */
  get #isRecent(): boolean {
    const age = this.#clock.now() - this.#last;
    return age >= 0 && age < BEAT;
  }

  /** To be called before each change. @throws {GateError} another deploy took the lock over. */
  async check(): Promise<void> {
    if (this.#overtaken) throw overtaken();
    if (this.#isRecent) return;
    await this.#write(async () => {
      if (!this.#isRecent) await this.#put(this.#next());
    });
  }

  /** Looks whether the keys may read, by the one object that is surely there. */
  checkRights(): Promise<void> {
    return this.#bucket.checkRights(LOCK);
  }

  /** Gives it back. */
  async release(): Promise<void> {
    await this.check();
    this.#stop();
    await this.#bucket.remove(LOCK);
  }

  /** Gives up: the next deploy knows what this one had in hand, and need not wait. */
  async abandon(): Promise<void> {
    this.#stop();
    if (this.#overtaken) return;
    if (this.#keys.length === 0) return this.#bucket.remove(LOCK);
    await this.#write(() => this.#put(this.#next({ ended: true })));
  }

  #stop(): void {
    clearInterval(this.#timer);
  }

  #next(more: { ended?: true } = {}): string {
    return textOf({ id: this.#id, beat: ++this.#beat, ...more, keys: this.#keys });
  }

  #write(write: () => Promise<void>): Promise<void> {
    const writing = this.#writing.then(write);
    this.#writing = writing.catch(() => {});
    return writing;
  }

  async #put(text: string): Promise<void> {
    const found = this.#isObeyed ? undefined : await this.#bucket.get(LOCK);
    const isOurs = this.#isObeyed || (found && contentOf(found).id === this.#id);
    const etag = isOurs
      ? await this.#bucket.putOwnIf(LOCK, text, { ifMatch: found?.etag ?? this.#etag })
      : undefined;
    if (etag === undefined) {
      this.#overtaken = true;
      throw overtaken();
    }
    this.#etag = etag;
    this.#last = this.#clock.now();
  }
}

const textOf = (content: Omit<Content, 'version' | 'keys'> & { keys: readonly string[] }): string =>
  JSON.stringify({ version: 1, ...content });

/**
 * Watches a lock that has not been silent for long enough.
 *
 * @returns whether its deploy is dead; not so where it has ended meanwhile.
 * @throws {GateError} it is alive.
 */
async function isDead(
  found: S3Object,
  bucket: Bucket,
  { clock, signal, notify }: HostRun,
): Promise<boolean> {
  const silent = Math.max(0, found.age ?? 0);
  if (silent >= DEAD) return true;
  const text = 'Another deploy has locked the bucket: looking for up to 90 s whether it goes on.';
  notify({ kind: 'line', text });
  const end = clock.now() + DEAD - silent;
  while (clock.now() < end) {
    await clock.sleep(LOOK, signal);
    const now = await bucket.get(LOCK);
    if (!now) return false;
    if (now.etag !== found.etag)
      throw underWay('bucket', `It says so every ${BEAT / 1000} s in ${LOCK}, in the bucket.`);
  }
  return true;
}

const overtaken = (): GateError =>
  new GateError({
    code: 'deploy-overtaken',
    what: 'Another deploy took this one for dead, and went on in its place.',
    why: `This one had not changed ${LOCK} in the bucket for ${DEAD / 1000} s, such as a machine that sleeps.`,
    fix: 'Nothing: the other one ends what both began. Deploy again, if this one had the newer site.',
  });
