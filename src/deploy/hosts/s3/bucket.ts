import { gunzipSync, gzipSync } from 'node:zlib';
import type { S3Settings } from '../../../config/deploy-settings.ts';
import { RefusedError } from '../../../errors.ts';
import type { Http } from '../../../lib/http/http.ts';
import { mimeTypeOf } from '../../../lib/mime.ts';
import {
  S3Client,
  type S3Condition,
  type S3Object,
  type S3Refusal,
} from '../../../lib/s3/client.ts';
import { fileHash } from '../../../record/files.ts';
import { PUBLISHED_TIMES, RECORDS } from '../../../record/published-records.ts';

/** A year, for what never changes under its name; else long enough to spare the host. */
const FOR_EVER = 'public, max-age=31536000, immutable';
const BRIEFLY = 'public, max-age=300';

/** Of what only deploys read. */
const OWN = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** What to do where it refuses. */
export const S3_FIX =
  'Check S3_BUCKET, S3_ENDPOINT and S3_REGION (or AWS_REGION), and that the keys may get, put and delete objects. Temporary keys also need AWS_SESSION_TOKEN, and expire.';

/** Whether a name that something in the bucket gave stays below the folder that is deployed to. */
export const isKey = (key: string): boolean =>
  key.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

/** Served compressed: the next build reads them, and hosts of objects compress nothing by themselves. */
const isCompressed = (key: string): boolean =>
  key.startsWith(RECORDS) && key.endsWith('.json') && key !== PUBLISHED_TIMES;

/** The bytes as they were before they were compressed; whoever asked may have done that already. */
const plain = (bytes: Buffer): Buffer =>
  bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;

/**
 * The site's folder in a bucket, by plain requests for single objects: listing is a right of its own,
 * and hosts answer it in different ways.
 */
export class Bucket {
  readonly #client: S3Client;

  constructor({ endpoint, bucket, prefix, ...keys }: S3Settings, http: Http) {
    const address = `${endpoint}/${bucket}`;
    this.#client = new S3Client({
      ...{ ...keys, bucket: address, folder: prefix, http, refused, deniedIsMissing: true },
    });
  }

  /** Whether something was refused that may just not be there. */
  get isDoubtful(): boolean {
    return this.#client.isDoubtful;
  }

  /** @returns undefined where nothing is there. */
  get(key: string): Promise<S3Object | undefined> {
    return this.#client.get(key);
  }

  /** Bytes of what {@link putFile} put, as they were given; undefined where nothing is there. */
  async getFile(key: string): Promise<Buffer | undefined> {
    const found = await this.get(key);
    try {
      return found && plain(found.bytes);
    } catch {
      // It was not we who put it.
      return found?.bytes;
    }
  }

  /** Whether there is a file with these bytes. */
  async holds({ path, hash }: { path: string; hash: string }): Promise<boolean> {
    const bytes = await this.getFile(path);
    return bytes !== undefined && fileHash(bytes) === hash;
  }

  /** Size of what lies there, as it is stored; undefined where nothing is there. */
  sizeOf(key: string): Promise<number | undefined> {
    return this.#client.size(key);
  }

  /** Puts a file of the site, as visitors are to get it. */
  putFile(key: string, bytes: Buffer): Promise<void> {
    const body = isCompressed(key) ? gzipSync(bytes, { level: 9 }) : bytes;
    return this.#client.put(key, body, {
      'content-type': mimeTypeOf(key) ?? 'application/octet-stream',
      'cache-control': key.startsWith('media/') ? FOR_EVER : BRIEFLY,
      ...(isCompressed(key) && { 'content-encoding': 'gzip' }),
    });
  }

  /** Puts something that only deploys read. */
  putOwn(key: string, text: string): Promise<void> {
    return this.#client.put(key, text, OWN);
  }

  /** The same on a condition. @returns the ETag of what lies there now; undefined where it is not met. */
  putOwnIf(key: string, text: string, condition: S3Condition): Promise<string | undefined> {
    return this.#client.putIf(key, text, condition, OWN);
  }

  /** Removes an object, if it is there. */
  remove(key: string): Promise<void> {
    return this.#client.delete(key);
  }

  /**
   * Looks whether the keys may read at all, by what has just been put.
   *
   * @throws {RefusedError} they may not.
   */
  async checkRights(key: string): Promise<void> {
    if ((await this.get(key)) === undefined) throw refused({ method: 'GET', key, status: 403 });
  }
}

function refused({ method, key, status }: S3Refusal): RefusedError {
  if (method === 'PUT' && status === 404) {
    return new RefusedError({
      code: 's3-no-bucket',
      what: `The S3 host does not know the bucket (status ${status}).`,
      why: 'A file was sent and the host has no place for it.',
      fix: 'Check S3_BUCKET and S3_ENDPOINT; the bucket must exist.',
    });
  }
  return new RefusedError({
    code: 's3-refused',
    what: `The S3 host refused ${method} of ${key} (status ${status}).`,
    why: 'The keys, the bucket, the region or the rights of the keys are not right.',
    fix: S3_FIX,
  });
}
