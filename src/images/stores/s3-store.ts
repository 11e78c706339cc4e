import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { DomUtils, parseDocument } from 'htmlparser2';
import pMap from 'p-map';
import pRetry, { AbortError } from 'p-retry';
import { Agent, request } from 'undici';
import type { EnginesConfig } from '../../config/engines.ts';
import { UnreachableError } from '../../errors.ts';
import type { Store } from '../ports.ts';

type S3Options = NonNullable<EnginesConfig['store']>;

/** Tries of a request after the first, where its fault may pass: 5xx, 429, 409, or a cut connection. */
const RETRIES = 5;
/** Requests at the same time; the rest waits. */
const CONNECTIONS = 32;
/** Longest silence of the store, in milliseconds. */
const STALLED = 30_000;
/** Objects that are removed at the same time. */
const REMOVALS = 16;

interface Sent {
  bytes?: Uint8Array;
  headers?: Record<string, string>;
}

interface Answer {
  status: number;
  body: Buffer;
}

/** The store's answer means that asking again is useless. */
class StoreRefusal extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`it answered with status ${status}`);
    this.status = status;
  }
}

/**
 * S3 and what speaks like it. aws4fetch signs; the requests are undici's, because `fetch` costs more
 * CPU (see docs/performance.md). Each request carries the hash of its body, so a body that was cut
 * is refused by the store; an answer that was cut is asked for again.
 */
export class S3Store implements Store {
  readonly #options: S3Options;
  readonly #agent = new Agent({
    allowH2: false,
    connections: CONNECTIONS,
    headersTimeout: STALLED,
    bodyTimeout: STALLED,
  });
  /** Signing keys, one a day. */
  readonly #keys = new Map<string, ArrayBuffer>();
  readonly #bucket: string;
  readonly #prefix: string;

  constructor(options: S3Options) {
    this.#options = options;
    const { origin, pathname } = new URL(options.url);
    const [bucket = '', ...prefix] = pathname.split('/').filter(Boolean);
    this.#bucket = `${origin}/${bucket}`;
    this.#prefix = prefix.map((part) => `${part}/`).join('');
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    const { status, body } = await this.#ask('GET', this.#address(name), [200, 404]);
    return status === 200 ? body : undefined;
  }

  async put(name: string, bytes: Uint8Array, { once = false } = {}): Promise<boolean> {
    const headers: Record<string, string> = once ? { 'if-none-match': '*' } : {};
    const { status } = await this.#ask('PUT', this.#address(name), [200, 412], { bytes, headers });
    return status === 200;
  }

  async has(name: string): Promise<boolean> {
    return (await this.#ask('HEAD', this.#address(name), [200, 404])).status === 200;
  }

  async list(prefix: string): Promise<string[]> {
    const names: string[] = [];
    let token: string | undefined;
    do {
      const query = new URLSearchParams({
        'list-type': '2',
        prefix: this.#prefix + prefix,
        ...(token !== undefined && { 'continuation-token': token }),
      });
      const { body } = await this.#ask('GET', `${this.#bucket}?${query}`, [200]);
      const answer = parseDocument(body.toString('utf8'), { xmlMode: true });
      const texts = (tag: string) =>
        DomUtils.getElementsByTagName(tag, answer).map((element) => DomUtils.textContent(element));
      for (const key of texts('Key')) {
        if (key.startsWith(this.#prefix)) names.push(key.slice(this.#prefix.length));
      }
      token = texts('NextContinuationToken')[0];
    } while (token !== undefined && token !== '');
    return names;
  }

  async remove(names: Iterable<string>): Promise<void> {
    await pMap(names, (name) => this.#ask('DELETE', this.#address(name), [200, 204, 404]), {
      concurrency: REMOVALS,
    });
  }

  /** Ends all connections. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }

  #address(name: string): string {
    return `${this.#bucket}/${this.#prefix}${name}`;
  }

  async #ask(
    method: string,
    address: string,
    expected: readonly number[],
    sent: Sent = {},
  ): Promise<Answer> {
    try {
      return await pRetry(() => this.#once(method, address, expected, sent), {
        retries: RETRIES,
        minTimeout: 100,
        maxTimeout: 5000,
        randomize: true,
      });
    } catch (error) {
      const refused = error instanceof StoreRefusal && error.status < 500;
      const code = (error as NodeJS.ErrnoException).code ?? (error as Error).name;
      throw new UnreachableError({
        code: refused ? 'store-refused' : 'store-unreachable',
        what: `The store of the thumbnails ${refused ? 'refused' : 'did not answer'} a ${method}.`,
        why: error instanceof StoreRefusal ? error.message : `The connection failed (${code}).`,
        fix: refused
          ? 'Check STORE_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION, and what the key may do.'
          : 'Check STORE_URL and that the store can be reached, and build again; what is done already is kept.',
      });
    }
  }

  async #once(
    method: string,
    address: string,
    expected: readonly number[],
    { bytes, headers }: Sent,
  ): Promise<Answer> {
    const { accessKeyId, secretAccessKey, sessionToken, region } = this.#options;
    const signed = await new AwsV4Signer({
      method,
      url: address,
      headers: {
        ...headers,
        'x-amz-content-sha256': createHash('sha256')
          .update(bytes ?? '')
          .digest('hex'),
      },
      accessKeyId: accessKeyId.reveal(),
      secretAccessKey: secretAccessKey.reveal(),
      ...(sessionToken && { sessionToken: sessionToken.reveal() }),
      service: 's3',
      region,
      cache: this.#keys,
    }).sign();
    const { statusCode, body } = await request(signed.url, {
      method: method as 'GET',
      headers: Object.fromEntries(signed.headers),
      body: bytes ?? null,
      dispatcher: this.#agent,
    });
    const answer = { status: statusCode, body: Buffer.from(await body.arrayBuffer()) };
    if (expected.includes(statusCode)) return answer;
    const refusal = new StoreRefusal(statusCode);
    // 409: somebody else writes the same name at this moment.
    const passing = statusCode >= 500 || [408, 409, 425, 429].includes(statusCode);
    throw passing ? refusal : new AbortError(refusal);
  }
}
