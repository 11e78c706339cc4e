import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { AwsV4Signer } from 'aws4fetch';
import { getMimeType } from 'hono/utils/mime';
import type { S3Settings } from '../../../config/deploy-settings.ts';
import { RefusedError } from '../../../errors.ts';
import { fileHash } from '../../../record/files.ts';
import { PUBLISHED_TIMES, RECORDS } from '../../../record/published-records.ts';
import type { Http, HttpAnswer, HttpRequest } from '../../http.ts';

/** A year, for what never changes under its name; else long enough to spare the host. */
const FOR_EVER = 'public, max-age=31536000, immutable';
const BRIEFLY = 'public, max-age=300';
/** Of what only deploys read. */
const NEVER = 'no-store';

/** All that is no success and may not pass: it is looked at here. */
const FINAL = Array.from({ length: 200 }, (_, index) => 300 + index).filter(
  (status) => status !== 408 && status !== 429,
);
/** "A header that you provided implies functionality that is not implemented" (S3's list of errors). */
const NOT_IMPLEMENTED = 501;

/** What to do where it refuses. */
export const S3_FIX =
  'Check S3_BUCKET, S3_ENDPOINT, S3_REGION, and that the keys may get, put and delete objects.';

export interface Found {
  bytes: Buffer;
  etag: string;
  /** Milliseconds since it was put, by the clock of the host; undefined where it does not say. */
  age: number | undefined;
}

/** What a put asks for: that nothing is there, or still what was read. */
export type Condition = { ifNoneMatch: '*' } | { ifMatch: string };

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
 * A folder in a bucket of any S3 host, by plain requests for single objects: listing is a right of its
 * own, and hosts answer it in different ways.
 */
export class Bucket {
  readonly #settings: S3Settings;
  readonly #http: Http;
  readonly #base: string;
  /** Signing keys, one a day. */
  readonly #keys = new Map<string, ArrayBuffer>();
  /** Ceph 16 compares what `If-Match` says with an ETag that has no quotes; the others want them. */
  #unquoted = false;
  /** The host refuses conditions, instead of obeying them or not. */
  #unconditional = false;
  #doubtful = false;

  constructor(settings: S3Settings, http: Http) {
    this.#settings = settings;
    this.#http = http;
    const prefix = settings.prefix === '' ? '' : `/${settings.prefix}`;
    this.#base = `${settings.endpoint}/${settings.bucket}${prefix}`;
  }

  /**
   * Whether something was refused that may just not be there: Amazon answers 403 for that to keys
   * without `s3:ListBucket` (docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html).
   */
  get isDoubtful(): boolean {
    return this.#doubtful;
  }

  /** @returns undefined where nothing is there. */
  async get(key: string): Promise<Found | undefined> {
    const { status, headers, bytes } = await this.#ask('GET', key, { also: [404] });
    if (status !== 200) return undefined;
    const put = Date.parse(headers.get('last-modified') ?? '');
    const now = Date.parse(headers.get('date') ?? '');
    const age = Number.isNaN(now - put) ? undefined : now - put;
    return { bytes, etag: headers.get('etag') ?? '', age };
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
  async sizeOf(key: string): Promise<number | undefined> {
    const { status, headers } = await this.#ask('HEAD', key, { also: [404] });
    return status === 200 ? Number(headers.get('content-length')) : undefined;
  }

  /** Puts a file of the site, as visitors are to get it. */
  async putFile(key: string, bytes: Buffer): Promise<void> {
    const headers: Record<string, string> = {
      'content-type': getMimeType(key) ?? 'application/octet-stream',
      'cache-control': key.startsWith('media/') ? FOR_EVER : BRIEFLY,
    };
    if (isCompressed(key)) headers['content-encoding'] = 'gzip';
    const body = isCompressed(key) ? gzipSync(bytes, { level: 9 }) : bytes;
    this.#checkPut(await this.#ask('PUT', key, { body, headers, also: [404] }));
  }

  /** Puts something that only deploys read. */
  async putOwn(key: string, text: string): Promise<void> {
    const headers = { 'content-type': 'application/json', 'cache-control': NEVER };
    this.#checkPut(await this.#ask('PUT', key, { body: text, headers, also: [404] }));
  }

  /**
   * The same on a condition (docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html).
   *
   * @returns the ETag of what lies there now; undefined where the condition is not met.
   */
  async putOwnIf(key: string, text: string, condition: Condition): Promise<string | undefined> {
    const headers = {
      'content-type': 'application/json',
      'cache-control': NEVER,
      ...this.#conditionOf(condition),
    };
    const also = [404, 409, 412, NOT_IMPLEMENTED];
    const answer = await this.#ask('PUT', key, { body: text, headers, also });
    const { status } = answer;
    if (status === NOT_IMPLEMENTED && !this.#unconditional) {
      this.#unconditional = true;
      return this.putOwnIf(key, text, condition);
    }
    const isRefused =
      status === 409 || status === 412 || (status === 404 && 'ifMatch' in condition);
    if (!isRefused) {
      this.#checkPut(answer);
      return answer.headers.get('etag') ?? (await this.get(key))?.etag ?? '';
    }
    if (!('ifMatch' in condition)) return undefined;
    const found = await this.get(key);
    // It was carried out, and the answer lost.
    if (found?.bytes.equals(Buffer.from(text))) return found.etag;
    if (status === 409 || found?.etag !== condition.ifMatch || this.#unquoted) return undefined;
    this.#unquoted = true;
    return this.putOwnIf(key, text, condition);
  }

  /** Removes an object, if it is there. */
  async remove(key: string): Promise<void> {
    await this.#ask('DELETE', key, { also: [404] });
  }

  /**
   * Looks whether the keys may read at all, by what has just been put.
   *
   * @throws {RefusedError} they may not.
   */
  async checkRights(key: string): Promise<void> {
    if ((await this.get(key)) === undefined) throw refused('GET', key, 403);
  }

  #conditionOf(condition: Condition): Record<string, string> {
    if (this.#unconditional) return {};
    if (!('ifMatch' in condition)) return { 'if-none-match': '*' };
    const { ifMatch } = condition;
    return { 'if-match': this.#unquoted ? ifMatch.replaceAll('"', '') : ifMatch };
  }

  #checkPut({ status }: HttpAnswer): void {
    if (status !== 404) return;
    throw new RefusedError({
      code: 's3-no-bucket',
      what: `The S3 host does not know the bucket (status ${status}).`,
      why: 'A file was sent and the host has no place for it.',
      fix: 'Check S3_BUCKET and S3_ENDPOINT; the bucket must exist.',
    });
  }

  /** @param also statuses that are an answer and no refusal. */
  async #ask(
    method: HttpRequest['method'],
    key: string,
    {
      also,
      ...sent
    }: { also: readonly number[]; body?: Buffer | string; headers?: Record<string, string> },
  ): Promise<HttpAnswer> {
    const { accessKeyId, secretAccessKey, region } = this.#settings;
    const url = `${this.#base}/${key.split('/').map(encodeURIComponent).join('/')}`;
    const hash = createHash('sha256')
      .update(sent.body ?? '')
      .digest('hex');
    const sign = async (): Promise<Record<string, string>> => {
      const signed = await new AwsV4Signer({
        method,
        url,
        headers: { ...sent.headers, 'x-amz-content-sha256': hash },
        accessKeyId,
        secretAccessKey: secretAccessKey.reveal(),
        service: 's3',
        region,
        cache: this.#keys,
      }).sign();
      return Object.fromEntries(signed.headers);
    };
    const answer = await this.#http.send({
      ...{ method, url, sign, body: sent.body, what: key },
      also: also.includes(NOT_IMPLEMENTED) ? [...FINAL, NOT_IMPLEMENTED] : FINAL,
    });
    const { status } = answer;
    if ((status >= 200 && status < 300) || also.includes(status)) return answer;
    if (status === 403 && method !== 'PUT' && method !== 'DELETE' && mayBeMissing(answer)) {
      this.#doubtful = true;
      return { ...answer, status: 404 };
    }
    throw refused(method, key, status);
  }
}

/** Whether a 403 says no more than that it is denied: a wrong key or signature is named. */
function mayBeMissing({ bytes }: HttpAnswer): boolean {
  const code = /<Code>(\w+)<\/Code>/.exec(bytes.toString('utf8'))?.[1];
  return code === undefined || code === 'AccessDenied';
}

const refused = (method: string, key: string, status: number): RefusedError =>
  new RefusedError({
    code: 's3-refused',
    what: `The S3 host refused ${method} of ${key} (status ${status}).`,
    why: 'The keys, the bucket, the region or the rights of the keys are not right.',
    fix: S3_FIX,
  });
