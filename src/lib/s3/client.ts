import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { DomUtils, parseDocument } from 'htmlparser2';
import pMap from 'p-map';
import type { Http, HttpAnswer, HttpRequest } from '../http/http.ts';

/** A value that is never printed. */
interface Revealable {
  reveal(): string;
}

/** A request that the host answered and did not do. */
export interface S3Refusal {
  method: string;
  /** Below the folder of the client. */
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
  /** Sends, and tries again: see `nextAfter`. */
  http: Pick<Http, 'send'>;
  /** Makes the error for a refusal. */
  refused(refusal: S3Refusal): Error;
  /**
   * Whether a denied GET or HEAD counts as nothing there: Amazon answers 403 for a missing object to
   * keys without `s3:ListBucket` (docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html).
   */
  deniedIsMissing?: boolean;
}

export interface S3Object {
  bytes: Buffer;
  etag: string;
  /** Milliseconds since it was put, by the clock of the host; undefined where it does not say. */
  age: number | undefined;
}

/** What a put asks for: that nothing is there, or still what was read. */
export type S3Condition = { ifNoneMatch: '*' } | { ifMatch: string };

type S3Headers = Readonly<Record<string, string>>;

/** Objects that {@link S3Client.deleteMany} removes at the same time. */
const REMOVALS = 16;

/** Answers that pass: somebody writes the same name at this moment (409), it is too early (425). */
const PASSING = [409, 425];
/** All that is no success and may not pass: it is judged here. */
const FINAL = Array.from({ length: 200 }, (_, index) => 300 + index).filter(
  (status) => ![408, 429, ...PASSING].includes(status),
);
/** "A header that you provided implies functionality that is not implemented" (S3's list of errors). */
const NOT_IMPLEMENTED = 501;
const FINAL_OR_NOT_IMPLEMENTED = [...FINAL, NOT_IMPLEMENTED];
const UNMET = 412;
const MISSING = 404;
const DENIED = 403;

/**
 * A folder in a bucket of any S3 host. Each request carries the hash of its body, so the host refuses a
 * body that was cut; an answer that was cut is asked for again.
 */
export class S3Client {
  readonly #options: S3Options;
  /** Begins the name of each object: '' or `FOLDER/`. */
  readonly #prefix: string;
  /** Signing keys, one a day. */
  readonly #keys = new Map<string, ArrayBuffer>();
  /** Ceph 16 compares what `If-Match` says with an ETag that has no quotes; the others want them. */
  #unquoted = false;
  /** The host refuses conditions, instead of obeying them or not. */
  #unconditional = false;
  #doubtful = false;

  constructor(options: S3Options) {
    this.#options = options;
    this.#prefix = options.folder === '' ? '' : `${options.folder}/`;
  }

  /** Whether something was denied that counted as missing, see {@link S3Options.deniedIsMissing}. */
  get isDoubtful(): boolean {
    return this.#doubtful;
  }

  /** @returns undefined where nothing is there. */
  async get(key: string): Promise<S3Object | undefined> {
    const { status, headers, bytes } = await this.#ask('GET', key, { also: [MISSING] });
    if (status === MISSING) return undefined;
    const put = Date.parse(headers.get('last-modified') ?? '');
    const now = Date.parse(headers.get('date') ?? '');
    const age = Number.isNaN(now - put) ? undefined : now - put;
    return { bytes, etag: headers.get('etag') ?? '', age };
  }

  /** Bytes of what lies there, as it is stored; undefined where nothing is there. */
  async size(key: string): Promise<number | undefined> {
    const { status, headers } = await this.#ask('HEAD', key, { also: [MISSING] });
    return status === MISSING ? undefined : Number(headers.get('content-length'));
  }

  async put(key: string, body: Uint8Array | string, headers: S3Headers = {}): Promise<void> {
    await this.#ask('PUT', key, { body, headers });
  }

  /**
   * Puts on a condition (docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html). A host
   * that knows no conditions puts in any case.
   *
   * @returns the ETag of what lies there now; undefined where the condition is not met.
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
      // It may be gone that was to be there still.
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
    // It was carried out, and the answer lost.
    if (found?.bytes.equals(Buffer.from(body))) return found.etag;
    if (found?.etag !== ifMatch || this.#unquoted) return undefined;
    this.#unquoted = true;
    return this.putIf(key, body, condition, headers);
  }

  /** Keys that begin with a prefix, page by page as the host gives them. */
  async *list(prefix: string): AsyncGenerator<string> {
    let token: string | undefined;
    do {
      const query = new URLSearchParams({
        'list-type': '2',
        prefix: this.#prefix + prefix,
        ...(token !== undefined && { 'continuation-token': token }),
      });
      const url = `${this.#options.bucket}?${query}`;
      const { bytes } = await this.#send({ method: 'GET', url, key: prefix, also: [] });
      const answer = parseDocument(bytes.toString('utf8'), { xmlMode: true });
      const texts = (tag: string) =>
        DomUtils.getElementsByTagName(tag, answer).map((element) => DomUtils.textContent(element));
      for (const name of texts('Key')) {
        if (name.startsWith(this.#prefix)) yield name.slice(this.#prefix.length);
      }
      token = texts('NextContinuationToken')[0];
    } while (token !== undefined && token !== '');
  }

  /** Removes an object, if it is there. */
  async delete(key: string): Promise<void> {
    await this.#ask('DELETE', key, { also: [MISSING] });
  }

  /** The same for many, one request each: not every host removes several at once. */
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

  /** @param request `also` has the statuses that are an answer and no refusal. */
  async #send(request: {
    method: HttpRequest['method'];
    url: string;
    key: string;
    also: readonly number[];
    body?: Uint8Array | string;
    headers?: S3Headers;
  }): Promise<HttpAnswer> {
    const { method, url, key, also, body, headers } = request;
    const { http, refused, deniedIsMissing = false } = this.#options;
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    const answer = await http.send({
      ...{ method, url, body, what: key },
      sign: () => this.#signed(method, url, { ...headers, 'x-amz-content-sha256': hash }),
      also: also.includes(NOT_IMPLEMENTED) ? FINAL_OR_NOT_IMPLEMENTED : FINAL,
      passing: PASSING,
    });
    const { status } = answer;
    if (status < 300 || also.includes(status)) return answer;
    const isRead = method === 'GET' || method === 'HEAD';
    if (isRead && deniedIsMissing && also.includes(MISSING) && isDenied(answer)) {
      this.#doubtful = true;
      return { ...answer, status: MISSING };
    }
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

/** Whether an answer says no more than that it is denied: a wrong key or signature is named. */
function isDenied({ status, bytes }: HttpAnswer): boolean {
  const code = /<Code>(\w+)<\/Code>/.exec(bytes.toString('utf8'))?.[1];
  return status === DENIED && (code === undefined || code === 'AccessDenied');
}
