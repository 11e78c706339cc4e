import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { AwsClient } from 'aws4fetch';
import { getMimeType } from 'hono/utils/mime';
import pMap from 'p-map';
import pRetry, { AbortError } from 'p-retry';
import { z } from 'zod';
import type { S3Settings } from '../config/deploy-settings.ts';
import { GateError, RefusedError, UnreachableError } from '../errors.ts';

/**
 * What the last deploy put there, by key, with the MD5 of each. It stands in the bucket itself: so
 * only what changed is sent, only what we once sent is ever removed, and no listing is needed, which
 * S3 hosts answer in different ways.
 */
const LIST = '.deployed.json';
/** Put and read where it is not clear whether the keys may read at all. */
const PROBE = '.deployed.check';

const listSchema = z.strictObject({
  version: z.literal(1),
  files: z.record(z.string(), z.string()),
});

type Files = Map<string, string>;

/** A year, for what never changes under its name; else long enough to spare the host. */
const FOR_EVER = 'public, max-age=31536000, immutable';
const BRIEFLY = 'public, max-age=300';

const RETRIES = 3;
const TIMEOUT = 120_000;
const AT_ONCE = 16;

export interface DeployProgress {
  done: number;
  total: number;
}

export interface DeployResult {
  uploaded: number;
  unchanged: number;
  removed: number;
  bytes: number;
}

/** Thumbnails first, pages last: a page that is there finds its pictures. */
const rank = (key: string): number =>
  key.startsWith('media/') ? 0 : key.endsWith('.html') ? 2 : 1;

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return (
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
      .map((file) => file.split(path.sep).join('/'))
      // Read by Netlify and Cloudflare; here it would only be a page of its own.
      .filter((key) => key !== '_headers')
      .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
  );
}

class Bucket {
  readonly #client: AwsClient;
  readonly #base: string;
  readonly #signal: AbortSignal | undefined;

  constructor(settings: S3Settings, signal: AbortSignal | undefined) {
    this.#client = new AwsClient({
      accessKeyId: settings.accessKeyId,
      secretAccessKey: settings.secretAccessKey.reveal(),
      service: 's3',
      region: settings.region,
      retries: 0,
    });
    const prefix = settings.prefix === '' ? '' : `/${settings.prefix}`;
    this.#base = `${settings.endpoint}/${settings.bucket}${prefix}`;
    this.#signal = signal;
  }

  /** @param also statuses that are an answer and no refusal, besides 404. */
  async #ask(
    key: string,
    init: RequestInit & { body?: Buffer<ArrayBuffer> },
    also: readonly number[] = [],
  ): Promise<Response> {
    const url = `${this.#base}/${key.split('/').map(encodeURIComponent).join('/')}`;
    const hash = createHash('sha256')
      .update(init.body ?? '')
      .digest('hex');
    return pRetry(
      async () => {
        const timeout = AbortSignal.timeout(TIMEOUT);
        const answer = await this.#client
          .fetch(url, {
            ...init,
            headers: { ...init.headers, 'x-amz-content-sha256': hash },
            signal: this.#signal ? AbortSignal.any([timeout, this.#signal]) : timeout,
          })
          .catch((error: unknown) => {
            throw new Error(error instanceof Error ? error.message : 'network fault');
          });
        if (answer.ok || answer.status === 404 || also.includes(answer.status)) return answer;
        await answer.body?.cancel();
        const fault = new Error(`it answered with status ${answer.status}`);
        if (answer.status >= 500 || answer.status === 429) throw fault;
        throw new AbortError(
          new RefusedError({
            code: 's3-refused',
            what: `The S3 host refused ${init.method} of ${key} (status ${answer.status}).`,
            why: 'The keys, the bucket, the region or the rights of the keys are not right.',
            fix: 'Check S3_BUCKET, S3_ENDPOINT, S3_REGION, and that the keys may get, put and delete objects.',
          }),
        );
      },
      { retries: RETRIES, minTimeout: 500, shouldRetry: () => !this.#signal?.aborted },
    ).catch((error: unknown) => {
      if (error instanceof RefusedError) throw error;
      throw new UnreachableError({
        code: 's3-unreachable',
        what: `The S3 host did not take ${key}.`,
        why: `After ${RETRIES + 1} tries: ${error instanceof Error ? error.message : 'network fault'}.`,
        fix: 'Check S3_ENDPOINT, and run it again: what was sent is not sent twice.',
      });
    });
  }

  /** What the last deploy put there; empty before the first one. */
  async readList(): Promise<Files> {
    const answer = await this.#ask(LIST, { method: 'GET' }, [403]);
    if (!answer.ok) await answer.body?.cancel();
    if (answer.status === 403) await this.#checkRights();
    if (!answer.ok) return new Map();
    const parsed = listSchema.safeParse(await answer.json().catch(() => undefined));
    // Without a list everything is sent again and nothing removed: that is safe.
    return new Map(Object.entries(parsed.data?.files ?? {}));
  }

  /**
   * Amazon answers 403 for what is not there to keys without `s3:ListBucket`
   * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html), and to keys that may not
   * read. Only those that may can read what they have just put. It is not the list that is put: one
   * that is there and cannot be read must not be lost.
   *
   * @throws {RefusedError} a right is missing.
   */
  async #checkRights(): Promise<void> {
    await this.#put(PROBE, Buffer.from('{}'), 'application/json', 'no-store');
    const answer = await this.#ask(PROBE, { method: 'GET' });
    await answer.body?.cancel();
    await this.remove(PROBE);
  }

  async writeList(files: Files): Promise<void> {
    const text = JSON.stringify({ version: 1, files: Object.fromEntries(files) });
    await this.#put(LIST, Buffer.from(text), 'application/json', 'no-store');
  }

  async put(key: string, body: Buffer<ArrayBuffer>): Promise<void> {
    const type = getMimeType(key) ?? 'application/octet-stream';
    await this.#put(key, body, type, key.startsWith('media/') ? FOR_EVER : BRIEFLY);
  }

  async #put(key: string, body: Buffer<ArrayBuffer>, type: string, cache: string): Promise<void> {
    const headers = { 'content-type': type, 'cache-control': cache };
    const answer = await this.#ask(key, { method: 'PUT', body, headers });
    if (!answer.ok) {
      throw new RefusedError({
        code: 's3-no-bucket',
        what: `The S3 host does not know the bucket (status ${answer.status}).`,
        why: 'A file was sent and the host has no place for it.',
        fix: 'Check S3_BUCKET and S3_ENDPOINT; the bucket must exist.',
      });
    }
    await answer.body?.cancel();
  }

  async remove(key: string): Promise<void> {
    const answer = await this.#ask(key, { method: 'DELETE' });
    await answer.body?.cancel();
  }
}

const md5 = (body: Uint8Array): string => createHash('md5').update(body).digest('hex');

/**
 * Files whose bytes are those of the last deploy, with their hashes; read one after another, so that
 * no more than one is in memory.
 */
async function unchangedFiles(
  folder: string,
  keys: readonly string[],
  former: Files,
): Promise<Files> {
  const unchanged: Files = new Map();
  for (const key of keys) {
    const before = former.get(key);
    if (!before) continue;
    const hash = md5(await readFile(path.join(folder, key)));
    if (hash === before) unchanged.set(key, hash);
  }
  return unchanged;
}

/**
 * Brings a folder into a bucket: sends what changed, thumbnails first and pages last, and then
 * removes what an earlier deploy sent and this one has no more. A deploy that was cut off is
 * finished by the next one.
 *
 * @throws {GateError} the folder is no finished site; nothing was sent.
 * @throws {RefusedError} keys or bucket are wrong. @throws {UnreachableError} after all retries.
 */
export async function deployToS3(options: {
  folder: string;
  settings: S3Settings;
  signal?: AbortSignal;
  onProgress?: (progress: DeployProgress) => void;
}): Promise<DeployResult> {
  const { folder, settings, signal, onProgress } = options;
  const keys = await filesOf(folder).catch((): string[] => []);
  if (!keys.includes('index.html')) {
    throw new GateError({
      code: 'deploy-no-site',
      what: `${folder} is no finished site.`,
      why: 'There is no index.html in it. Deploying it would empty the bucket.',
      fix: 'Build first (npm run build), and name its folder with --folder.',
    });
  }
  const bucket = new Bucket(settings, signal);
  const former = await bucket.readList();
  const unchanged = await unchangedFiles(folder, keys, former);
  const changed = keys.filter((key) => !unchanged.has(key));
  const planned = new Set(keys);
  const gone = [...former.keys()].filter((key) => !planned.has(key) && key !== LIST);
  const result: DeployResult = {
    uploaded: 0,
    unchanged: unchanged.size,
    removed: gone.length,
    bytes: 0,
  };
  // Once this is cut off, nobody knows what is there under the keys that it was about to send or to
  // remove: an empty hash is equal to nothing.
  const uncertain = [...changed, ...gone].map((key) => [key, ''] as const);
  await bucket.writeList(new Map([...unchanged, ...uncertain]));
  const now: Files = new Map(unchanged);
  onProgress?.({ done: now.size, total: keys.length });
  const send = async (key: string) => {
    const body = await readFile(path.join(folder, key));
    await bucket.put(key, body);
    result.uploaded++;
    result.bytes += body.length;
    now.set(key, md5(body));
    onProgress?.({ done: now.size, total: keys.length });
  };
  // One rank after the other, so that no page is there before its pictures.
  for (const [, ofRank] of Map.groupBy(changed, rank)) {
    await pMap(ofRank, send, { concurrency: AT_ONCE });
  }
  await pMap(gone, (key) => bucket.remove(key), { concurrency: AT_ONCE });
  await bucket.writeList(now);
  return result;
}
