import { hash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { newParser } from '../html.ts';
import type { Http, HttpFault, HttpRequest, HttpResponse } from '../http/http.ts';

/** A secret value, see `Secret`. */
interface Revealable {
  reveal(): string;
}

interface S3Options {
  /** `https://HOST/BUCKET`, without a slash at the end. */
  bucket: string;
  /** Folder of all keys in the bucket, without slashes around it. '' for the bucket itself. */
  folder: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: Revealable;
  sessionToken?: Revealable;
  /** Sends requests with retries, see `HttpClient`. */
  http: Pick<Http, 'send' | 'unusable'>;
}

export interface S3Object {
  bytes: Buffer;
  /** Without quotes, because hosts differ in them. */
  etag: string;
  /** Milliseconds since it was put, by the clock of the host. Undefined if the host does not report it. */
  age: number | undefined;
}

/** One object of a listing. */
export interface S3Entry {
  /** Relative to the folder of the client. */
  key: string;
  etag: string;
  /** Stored bytes. */
  size: number;
}

/** Condition of a put: the object does not exist, or still has this ETag. */
export type S3Condition = { ifNoneMatch: '*' } | { ifMatch: string };

interface S3Request extends Pick<HttpRequest, 'body' | 'also'> {
  /** URL of the request, if it is not the object's. */
  url?: string;
  headers?: Readonly<Record<string, string>>;
}

/** Transient statuses: another client is writing the same object (409), the request came too early (425). */
const RETRYABLE = [409, 425];
const MISSING = 404;
const CONDITION_FAILED = 412;
/** "A header that you provided implies functionality that is not implemented" (S3's list of errors). */
const NOT_IMPLEMENTED = 501;

/** Name of the request for the objects of a bucket, for errors. */
const LISTING = 'the list of the bucket';

const withoutQuotes = (etag: string | null | undefined): string => etag?.replaceAll('"', '') ?? '';

/**
 * A folder in a bucket of any S3 host. Each request contains the hash of its body, so the host refuses a
 * truncated body. A truncated response is requested again.
 */
export class S3Client {
  readonly #options: S3Options;
  /** Prefix of all object names: '' or `FOLDER/`. */
  readonly #prefix: string;
  /** Signing keys by day. */
  readonly #keys = new Map<string, ArrayBuffer>();
  /** Whether `If-Match` is sent without quotes. Ceph 16 expects none, other hosts require them. */
  #unquoted = false;
  /** Whether the host refuses conditional requests. Other hosts obey or ignore them. */
  #unconditional = false;

  constructor(options: S3Options) {
    this.#options = options;
    this.#prefix = options.folder === '' ? '' : `${options.folder}/`;
  }

  /** @returns undefined if the object does not exist. */
  async get(key: string): Promise<S3Object | undefined> {
    const { status, headers, bytes } = await this.#send('GET', key, { also: [MISSING] });
    if (status === MISSING) return undefined;
    const putTime = Date.parse(headers.get('last-modified') ?? '');
    const age = Date.parse(headers.get('date') ?? '') - putTime;
    const etag = withoutQuotes(headers.get('etag'));
    return { bytes, etag, age: Number.isNaN(age) ? undefined : age };
  }

  /** @returns the ETag of the new object, or '' if the host does not report it. */
  async put(key: string, body: Uint8Array | string, headers = {}): Promise<string> {
    const response = await this.#send('PUT', key, { body, headers });
    return withoutQuotes(response.headers.get('etag'));
  }

  /**
   * Conditional put (docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html). A host
   * without conditional requests always puts.
   *
   * @returns the ETag of the new object. Undefined if the condition is not met.
   */
  async putIf(
    key: string,
    body: Uint8Array | string,
    condition: S3Condition,
    headers = {},
  ): Promise<string | undefined> {
    if (this.#unconditional) return this.put(key, body, headers);
    const ifMatch = 'ifMatch' in condition ? condition.ifMatch : undefined;
    const conditional: Record<string, string> = ifMatch
      ? { 'if-match': this.#unquoted ? ifMatch : `"${ifMatch}"` }
      : { 'if-none-match': '*' };
    const response = await this.#send('PUT', key, {
      body,
      headers: { ...headers, ...conditional },
      // With `If-Match`, a missing object also means that the condition is not met.
      also: [CONDITION_FAILED, NOT_IMPLEMENTED, ...(ifMatch ? [MISSING] : [])],
    });
    if (response.status === NOT_IMPLEMENTED) {
      this.#unconditional = true;
      return this.put(key, body, headers);
    }
    if (response.status < 300) {
      return withoutQuotes(response.headers.get('etag')) || (await this.get(key))?.etag || '';
    }
    if (!ifMatch) return undefined;
    const object = await this.get(key);
    // An earlier attempt succeeded, but its response was lost.
    if (object?.bytes.equals(Buffer.from(body))) return object.etag;
    if (object?.etag !== ifMatch || this.#unquoted) return undefined;
    this.#unquoted = true;
    return this.putIf(key, body, condition, headers);
  }

  /** Objects with a prefix, in the host's order. Further pages are requested as needed. */
  async *list(prefix: string): AsyncGenerator<S3Entry> {
    let token: string | undefined;
    do {
      const query = new URLSearchParams({ 'list-type': '2', prefix: this.#prefix + prefix });
      if (token !== undefined) query.set('continuation-token', token);
      const url = `${this.#options.bucket}?${query}`;
      const { bytes } = await this.#send('GET', prefix, { url });
      const page = readPage(bytes.toString('utf8'));
      if (!page) throw this.#options.http.unusable(LISTING);
      for (const { key, ...entry } of page.entries) {
        if (key.startsWith(this.#prefix)) yield { key: key.slice(this.#prefix.length), ...entry };
      }
      token = page.next;
    } while (token);
  }

  /** Removes an object, if it exists. Some hosts cannot remove several at once. */
  async delete(key: string): Promise<void> {
    await this.#send('DELETE', key, { also: [MISSING] });
  }

  /** @param request `also` has the statuses that are not refusals. */
  async #send(
    method: HttpRequest['method'],
    key: string,
    { url: otherUrl, body, headers, also }: S3Request,
  ): Promise<HttpResponse> {
    const { bucket, http, secretAccessKey, sessionToken, accessKeyId, region } = this.#options;
    const name = (this.#prefix + key).split('/').map(encodeURIComponent).join('/');
    const url = otherUrl ?? `${bucket}/${name}`;
    const sum = hash('sha256', body ?? '', 'hex');
    const sign = async () => {
      const signer = new AwsV4Signer({
        method,
        url,
        headers: { ...headers, 'x-amz-content-sha256': sum },
        service: 's3',
        region,
        accessKeyId,
        secretAccessKey: secretAccessKey.reveal(),
        sessionToken: sessionToken?.reveal(),
        cache: this.#keys,
      });
      return Object.fromEntries((await signer.sign()).headers);
    };
    const isConditional = Object.keys(headers ?? {}).some((header) => header.startsWith('if-'));
    const request = `${isConditional ? 'conditional ' : ''}${method} of ${key}`;
    const what = otherUrl === undefined ? request : LISTING;
    return http.send({ method, url, body, what, sign, also, retryable: RETRYABLE });
  }
}

/**
 * Code, message and, for another region, right endpoint in a host's error. Empty for other responses: a gateway's HTML
 * error page explains nothing.
 */
export function s3Error(bytes: Buffer | undefined): string[] {
  const [, error = ''] = /<Error>(.*)/s.exec(bytes?.toString('utf8', 0, 4000) ?? '') ?? [];
  return ['Code', 'Message', 'Endpoint'].flatMap(
    (name) => new RegExp(`<${name}>([^<]+)</`).exec(error)?.[1] ?? [],
  );
}

/** The code in a host's error, such as `AccessDenied`. Its message could contain credentials. */
export const s3Reason = ({ bytes }: HttpFault): string | undefined =>
  s3Error(bytes).find((text) => /^\w{1,100}$/.test(text));

/**
 * Reads one page of a listing. Undefined if the text is not a listing. A tree of its 1,000 objects would
 * take three times the CPU (measured).
 */
function readPage(xml: string): { entries: S3Entry[]; next: string | undefined } | undefined {
  const entries: S3Entry[] = [];
  const lastTexts: Record<string, string> = {};
  let text = '';
  const parser = newParser(
    {
      onopentagname: () => {
        text = '';
      },
      ontext: (data) => {
        text += data;
      },
      onclosetag: (name) => {
        lastTexts[name] = text;
        if (name !== 'Contents') return;
        const { Key: key = '', ETag: etag, Size: size } = lastTexts;
        entries.push({ key, etag: withoutQuotes(etag), size: Number(size) });
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return 'ListBucketResult' in lastTexts
    ? { entries, next: lastTexts.NextContinuationToken }
    : undefined;
}
