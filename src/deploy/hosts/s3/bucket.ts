import { gunzipSync, gzipSync } from 'node:zlib';
import type { S3Settings } from '../../../config/deploy-settings.ts';
import { RefusedError } from '../../../errors.ts';
import type { Http } from '../../../lib/http/http.ts';
import { mimeTypeOf } from '../../../lib/mime.ts';
import {
  S3Client,
  type S3Condition,
  type S3Entry,
  type S3Object,
  type S3Refusal,
} from '../../../lib/s3/client.ts';
import { fileHash } from '../../../record/files.ts';
import { PUBLISHED_TIMES, RECORDS } from '../../../record/published-records.ts';

/** A year for thumbnails, which never change under their names. Otherwise long enough to spare the host. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
const SHORT = 'public, max-age=300';

/** Headers of files that only deploys read. */
const INTERNAL = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** What to do if the host refuses. */
export const S3_FIX =
  'Check S3_BUCKET, S3_ENDPOINT and S3_REGION (or AWS_REGION), and that the keys may list the bucket, and get, put and delete objects (docs/hosting.md has the policy). Temporary keys also need AWS_SESSION_TOKEN, and expire.';

/** Whether a key stays below the folder that is deployed to. */
const isSafeKey = (key: string): boolean =>
  key.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

/** Served compressed: builds read them every night, and S3 hosts do not compress. */
const isCompressed = (key: string): boolean =>
  key.startsWith(RECORDS) && key.endsWith('.json') && key !== PUBLISHED_TIMES;

/** ETags differ in their quotes between a listing and a header. */
const withoutQuotes = (etag: string): string => etag.replaceAll('"', '');

/** The folder of the site in a bucket. */
export class Bucket {
  readonly #client: S3Client;

  constructor({ endpoint, bucket, prefix, ...keys }: S3Settings, http: Http) {
    const address = `${endpoint}/${bucket}`;
    this.#client = new S3Client({ ...keys, bucket: address, folder: prefix, http, refused });
  }

  /** All objects by key, with ETags without quotes. */
  async list(): Promise<Map<string, S3Entry>> {
    const entries = new Map<string, S3Entry>();
    for await (const entry of this.#client.list('')) {
      if (!isSafeKey(entry.key)) continue;
      entries.set(entry.key, { ...entry, etag: withoutQuotes(entry.etag) });
    }
    return entries;
  }

  /** @returns undefined if the object does not exist. */
  get(key: string): Promise<S3Object | undefined> {
    return this.#client.get(key);
  }

  /** The bytes that {@link putFile} was given. Undefined if the object does not exist. */
  async getFile(key: string): Promise<Buffer | undefined> {
    const bytes = (await this.get(key))?.bytes;
    const isPacked = bytes?.[0] === 0x1f && bytes[1] === 0x8b;
    try {
      return bytes && isPacked ? gunzipSync(bytes) : bytes;
    } catch {
      return bytes;
    }
  }

  /** Whether a file with these bytes exists. */
  async holds({ path, hash }: { path: string; hash: string }): Promise<boolean> {
    const bytes = await this.getFile(path);
    return bytes !== undefined && fileHash(bytes) === hash;
  }

  /** Puts a file of the site, as visitors receive it. @returns its ETag without quotes. */
  async putFile(key: string, bytes: Buffer): Promise<string> {
    const body = isCompressed(key) ? gzipSync(bytes, { level: 9 }) : bytes;
    const etag = await this.#client.put(key, body, {
      'content-type': mimeTypeOf(key) ?? 'application/octet-stream',
      'cache-control': key.startsWith('media/') ? IMMUTABLE : SHORT,
      ...(isCompressed(key) && { 'content-encoding': 'gzip' }),
    });
    return withoutQuotes(etag);
  }

  /** Puts a file that only deploys read. */
  async putOwn(key: string, body: Uint8Array | string): Promise<void> {
    await this.#client.put(key, body, INTERNAL);
  }

  /** The same on a condition. @returns the new ETag. Undefined if the condition is not met. */
  putOwnIf(key: string, text: string, condition: S3Condition): Promise<string | undefined> {
    return this.#client.putIf(key, text, condition, INTERNAL);
  }

  /** Removes an object, if it is there. */
  remove(key: string): Promise<void> {
    return this.#client.delete(key);
  }
}

function refused({ method, key, status }: S3Refusal): RefusedError {
  if (status === 404) {
    return new RefusedError({
      code: 's3-no-bucket',
      what: `The S3 host does not know the bucket (status ${status}).`,
      why: 'It was asked to list it or to store a file in it.',
      fix: 'Check S3_BUCKET and S3_ENDPOINT. The bucket must exist.',
    });
  }
  return new RefusedError({
    code: 's3-refused',
    what: `The S3 host refused ${key === '' ? 'to list the bucket' : `${method} of ${key}`} (status ${status}).`,
    why: 'The keys, their permissions, the bucket or the region are wrong.',
    fix: S3_FIX,
  });
}
