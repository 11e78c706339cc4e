import type { StoreConfig } from '../../config/engines.ts';
import { UnreachableError } from '../../errors.ts';
import { HttpClient } from '../../lib/http/client.ts';
import type { HttpFailures } from '../../lib/http/http.ts';
import { S3Client } from '../../lib/s3/client.ts';
import type { Store } from '../ports.ts';

/** Requests at the same time; further ones wait. */
const CONNECTIONS = 32;
/** Longest silence of the store, in milliseconds. */
const STALLED = 30_000;
/** Longest wait that the store may ask for, in milliseconds. */
const LONGEST_WAIT = 60_000;

/** Milliseconds until the next try, random so that workers that were refused together do not return together. */
const pause = (tries: number): number =>
  Math.min(5000, (1 + Math.random()) * 100 * 2 ** (tries - 1));

const refused = ({ method, status }: { method: string; status: number }): UnreachableError =>
  new UnreachableError({
    code: 'store-refused',
    what: `The store of the thumbnails refused a ${method}.`,
    why: `It answered with status ${status}.`,
    fix: 'Check STORE_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION, and what the key may do.',
  });

const unreachable = (method: string, why: string): UnreachableError =>
  new UnreachableError({
    code: 'store-unreachable',
    what: `The store of the thumbnails gave no usable answer to a ${method}.`,
    why,
    fix: 'Check STORE_URL and that the store can be reached, and build again; what is done already is kept.',
  });

const FAILURES: HttpFailures = {
  refused: ({ method }, { status }) => refused({ method, status }),
  unreachable: ({ method }, { words }, tries) =>
    unreachable(method, `After ${tries} tries: ${words}.`),
  limited: ({ method }, asked) =>
    unreachable(
      method,
      `It asks to wait ${Math.ceil(asked / 1000)} s; the longest wait is a minute.`,
    ),
};

/** A store in S3 or a compatible service. */
export class S3Store implements Store {
  readonly #http = new HttpClient({
    name: 'The store of the thumbnails',
    failures: FAILURES,
    policy: { longestWait: LONGEST_WAIT, pause },
    stalled: STALLED,
    connections: CONNECTIONS,
  });
  readonly #client: S3Client;

  constructor({ url, accessKeyId, ...keys }: StoreConfig) {
    const { origin, pathname } = new URL(url);
    const [bucket = '', ...folder] = pathname.split('/').filter(Boolean);
    this.#client = new S3Client({
      ...keys,
      bucket: `${origin}/${bucket}`,
      folder: folder.join('/'),
      accessKeyId: accessKeyId.reveal(),
      http: this.#http,
      refused,
    });
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    return (await this.#client.get(name))?.bytes;
  }

  async put(name: string, bytes: Uint8Array, { once = false } = {}): Promise<boolean> {
    if (once) return (await this.#client.putIf(name, bytes, { ifNoneMatch: '*' })) !== undefined;
    await this.#client.put(name, bytes);
    return true;
  }

  async has(name: string): Promise<boolean> {
    return (await this.#client.size(name)) !== undefined;
  }

  async list(prefix: string): Promise<string[]> {
    const names: string[] = [];
    for await (const { key } of this.#client.list(prefix)) names.push(key);
    return names;
  }

  remove(names: Iterable<string>): Promise<void> {
    return this.#client.deleteMany(names);
  }

  /** Ends all connections. */
  close(): Promise<void> {
    return this.#http[Symbol.asyncDispose]();
  }
}
