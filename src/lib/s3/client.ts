import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { Parser } from 'htmlparser2';
import pMap from 'p-map';
import type { Http, HttpAnswer, HttpRequest } from '../http/http.ts';

/** A secret value, see `Secret`. */
interface Revealable {
  reveal(): string;
}

/** A request that the host refused. */
export interface S3Refusal {
  method: string;
  /** Below the folder of the client. The prefix of a listing. */
  key: string;
  status: number;
}

export interface S3Options {
  /** `https://HOST/BUCKET`, without a slash at the end. */
  bucket: string;
  /** Folder in the bucket that all keys are below, without slashes around it; '' for the bucket itself. */
  folder: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: Revealable;
  sessionToken?: Revealable | undefined;
  /** Sends requests with retries, see `HttpClient`. */
  http: Pick<Http, 'send'>;
  /** Makes the error for a refusal. */
  refused(refusal: S3Refusal): Error;
}

export interface S3Object {
  bytes: Buffer;
  etag: string;
  /** Milliseconds since it was put, by the clock of the host. Undefined if the host does not report it. */
  age: number | undefined;
}

/** One object of a listing. */
export interface S3Entry {
  /** Below the folder of the client. */
  key: string;
  etag: string;
  /** Bytes, as they are stored. */
  size: number;
}

/** Condition of a put: the object does not exist, or still has the ETag that was read. */
export type S3Condition = { ifNoneMatch: '*' } | { ifMatch: string };

type S3Headers = Readonly<Record<string, string>>;

/** Objects that {@link S3Client.deleteMany} removes at the same time. */
const REMOVALS = 16;

/** Transient statuses: another client is writing the same object (409), the request came too early (425). */
const RETRYABLE = [409, 425];
/** Statuses that are neither success nor transient. This client handles them itself. */
const FINAL = Array.from({ length: 200 }, (_, index) => 300 + index).filter(
  (status) => ![408, 429, ...RETRYABLE].includes(status),
);
/** "A header that you provided implies functionality that is not implemented" (S3's list of errors). */
const NOT_IMPLEMENTED = 501;
const FINAL_OR_NOT_IMPLEMENTED = [...FINAL, NOT_IMPLEMENTED];
const UNMET = 412;
const MISSING = 404;

/**
 * A folder in a bucket of any S3 host. Each request contains the hash of its body, so the host refuses a
 * truncated body. A truncated answer is requested again.
 */
export class S3Client {
  readonly #options: S3Options;
  /** Prefix of all object names: '' or `FOLDER/`. */
  readonly #prefix: string;
  /** Signing keys by day. */
  readonly #keys = new Map<string, ArrayBuffer>();
  /** `If-Match` is sent without quotes: Ceph 16 compares it so, other hosts require quotes. */
  #unquoted = false;
  /** The host refuses conditional requests. Others obey or ignore them. */
  #unconditional = false;

  constructor(options: S3Options) {
    this.#options = options;
    this.#prefix = options.folder === '' ? '' : `${options.folder}/`;
  }

  /** @returns undefined if the object does not exist. */
  async get(key: string): Promise<S3Object | undefined> {
    const { status, headers, bytes } = await this.#ask('GET', key, { also: [MISSING] });
    if (status === MISSING) return undefined;
    const put = Date.parse(headers.get('last-modified') ?? '');
    const now = Date.parse(headers.get('date') ?? '');
    const age = Number.isNaN(now - put) ? undefined : now - put;
    return { bytes, etag: headers.get('etag') ?? '', age };
  }

  /** Size of an object as it is stored, in bytes. Undefined if it does not exist. */
  async size(key: string): Promise<number | undefined> {
    const { status, headers } = await this.#ask('HEAD', key, { also: [MISSING] });
    return status === MISSING ? undefined : Number(headers.get('content-length'));
  }

  /** @returns the ETag of the new object; '' if the host does not report it. */
  async put(key: string, body: Uint8Array | string, headers: S3Headers = {}): Promise<string> {
    const { headers: got } = await this.#ask('PUT', key, { body, headers });
    return got.get('etag') ?? '';
  }

  /**
   * Conditional put (docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html). A host
   * without conditional requests puts in any case.
   *
   * @returns the ETag of the new object. Undefined if the condition is not met.
   */
  async putIf(
    key: string,
    body: Uint8Array | string,
    condition: S3Condition,
    headers: S3Headers = {},
  ): Promise<string | undefined> {
    const ifMatch = 'ifMatch' in condition ? condition.ifMatch : undefined;
    const { status, headers: got } = await this.#ask('PUT', key, {
      body,
      headers: { ...headers, ...this.#conditionHeaders(ifMatch) },
      // With `If-Match`, a missing object also means that the condition is not met.
      also: [UNMET, NOT_IMPLEMENTED, ...(ifMatch === undefined ? [] : [MISSING])],
    });
    if (status === NOT_IMPLEMENTED) {
      if (this.#unconditional) throw this.#options.refused({ method: 'PUT', key, status });
      this.#unconditional = true;
      return this.putIf(key, body, condition, headers);
    }
    if (status < 300) return got.get('etag') ?? (await this.get(key))?.etag ?? '';
    if (ifMatch === undefined) return undefined;
    const found = await this.get(key);
    // An earlier try was carried out and its answer lost.
    if (found?.bytes.equals(Buffer.from(body))) return found.etag;
    if (found?.etag !== ifMatch || this.#unquoted) return undefined;
    this.#unquoted = true;
    return this.putIf(key, body, condition, headers);
  }

  /** Objects with a prefix, in the host's order. Further pages are requested as needed. */
  async *list(prefix: string): AsyncGenerator<S3Entry> {
    let token: string | undefined;
    do {
      const query = new URLSearchParams({
        'list-type': '2',
        prefix: this.#prefix + prefix,
        ...(token !== undefined && { 'continuation-token': token }),
      });
      const url = `${this.#options.bucket}?${query}`;
      const { bytes, status } = await this.#send({ method: 'GET', url, key: prefix, also: [] });
      const page = readPage(bytes.toString('utf8'));
      if (!page) throw this.#options.refused({ method: 'GET', key: prefix, status });
      for (const { key, ...entry } of page.entries) {
        if (key.startsWith(this.#prefix)) yield { key: key.slice(this.#prefix.length), ...entry };
      }
      token = page.next;
    } while (token);
  }

  /** Removes an object, if it is there. */
  async delete(key: string): Promise<void> {
    await this.#ask('DELETE', key, { also: [MISSING] });
  }

  /** Removes many objects by one request each, as some hosts have no request for several. */
  async deleteMany(keys: Iterable<string>): Promise<void> {
    await pMap(keys, (key) => this.delete(key), { concurrency: REMOVALS });
  }

  #conditionHeaders(ifMatch: string | undefined): S3Headers {
    if (this.#unconditional) return {};
    if (ifMatch === undefined) return { 'if-none-match': '*' };
    return { 'if-match': this.#unquoted ? ifMatch.replaceAll('"', '') : ifMatch };
  }

  #ask(
    method: HttpRequest['method'],
    key: string,
    { also = [], ...sent }: { also?: number[]; body?: Uint8Array | string; headers?: S3Headers },
  ): Promise<HttpAnswer> {
    const name = (this.#prefix + key).split('/').map(encodeURIComponent).join('/');
    const url = `${this.#options.bucket}/${name}`;
    return this.#send({ method, url, key, also, ...sent });
  }

  /** @param request `also` has the statuses that are answers rather than refusals. */
  async #send(request: {
    method: HttpRequest['method'];
    url: string;
    key: string;
    also: readonly number[];
    body?: Uint8Array | string;
    headers?: S3Headers;
  }): Promise<HttpAnswer> {
    const { method, url, key, also, body, headers } = request;
    const { http, refused } = this.#options;
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    const answer = await http.send({
      ...{ method, url, body, what: key },
      sign: () => this.#signed(method, url, { ...headers, 'x-amz-content-sha256': hash }),
      also: also.includes(NOT_IMPLEMENTED) ? FINAL_OR_NOT_IMPLEMENTED : FINAL,
      retryable: RETRYABLE,
    });
    const { status } = answer;
    if (status < 300 || also.includes(status)) return answer;
    throw refused({ method, key, status });
  }

  /** Headers of a request, signed for this moment. */
  async #signed(method: string, url: string, headers: S3Headers): Promise<Record<string, string>> {
    const { accessKeyId, secretAccessKey, sessionToken, region } = this.#options;
    const signed = await new AwsV4Signer({
      ...{ method, url, headers, accessKeyId, region, service: 's3', cache: this.#keys },
      secretAccessKey: secretAccessKey.reveal(),
      ...(sessionToken && { sessionToken: sessionToken.reveal() }),
    }).sign();
    return Object.fromEntries(signed.headers);
  }
}

/**
 * Reads one page of a listing. Undefined if the text is not a listing. A tree of its 1,000 objects would take three
 * times the CPU (measured).
 */
function readPage(xml: string): { entries: S3Entry[]; next: string | undefined } | undefined {
  const entries: S3Entry[] = [];
  /** The last text of each element. */
  const last: Record<string, string> = {};
  let text = '';
  const parser = new Parser(
    {
      onopentagname: () => {
        text = '';
      },
      ontext: (data) => {
        text += data;
      },
      onclosetag: (name) => {
        last[name] = text;
        if (name !== 'Contents') return;
        const { Key: key = '', ETag: etag = '', Size: size } = last;
        entries.push({ key, etag, size: Number(size) });
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return 'ListBucketResult' in last ? { entries, next: last.NextContinuationToken } : undefined;
}
