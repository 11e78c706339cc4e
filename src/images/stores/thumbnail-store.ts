import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pMap from 'p-map';
import type { StoreConfig } from '../../config/engines.ts';
import { HttpClient } from '../../lib/http/http.ts';
import { S3Client, s3Reason } from '../../lib/s3/client.ts';
import type { FoundFile } from '../../record/file.ts';
import type { ContentEntry, Fingerprints } from '../../record/pictures.ts';
import { fingerprintOf, outputName, withOutputs } from '../fingerprint.ts';
import { isOutputName } from '../recipes.ts';
import { type OutputFiles, putOutput } from './folder.ts';

/** Requests at the same time. Further ones wait. */
const CONNECTIONS = 32;
/** Longest silence of the store, in milliseconds. */
const STALLED = 30_000;
/** Longest wait that the store may ask for, in milliseconds. */
const LONGEST_WAIT = 60_000;
/** Outputs that are removed at the same time. */
const REMOVALS = 16;

/** Folder of the thumbnails in the bucket. */
const FILES = 'files/';

/** Milliseconds until the next attempt. Random, so that refused workers do not all try again at once. */
const pause = (tries: number): number =>
  Math.min(5000, (1 + Math.random()) * 100 * 2 ** (tries - 1));

/**
 * Thumbnails in a bucket of S3 or a compatible service, shared with other machines or with the next run
 * on an empty disk. It only saves time: missing outputs are restored from the published site, or made
 * again.
 */
export class ThumbnailStore implements OutputFiles, AsyncDisposable {
  readonly #http = new HttpClient({
    name: 'The thumbnail store',
    code: 'store',
    fix: 'Check STORE_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, and the permissions of the key.',
    later:
      'Check STORE_URL and that the store can be reached, and build again. Finished work is kept.',
    reasonOf: s3Reason,
    longestWait: LONGEST_WAIT,
    pause,
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
    });
  }

  /** @param name of an output. */
  async read(name: string): Promise<FoundFile> {
    const object = await this.#client.get(FILES + name);
    return object ?? { why: 'there is none', missing: true };
  }

  /**
   * Puts an output unless it exists: a configuration with other recipes may have made it with other bytes.
   *
   * @returns the bytes that the store has.
   */
  async put(name: string, bytes: Uint8Array): Promise<Uint8Array> {
    if (await this.#client.putIf(FILES + name, bytes, { ifNoneMatch: '*' })) return bytes;
    return (await this.#client.get(FILES + name))?.bytes ?? bytes;
  }

  /**
   * Puts the new outputs of a picture. If the store has an output with other bytes, these bytes replace
   * the bytes in the folder.
   *
   * @returns the entry of the picture with the fingerprints of the stored outputs.
   */
  async putOutputs(
    content: ContentEntry,
    outputs: readonly { name: string }[],
    folder: string,
  ): Promise<ContentEntry> {
    const puts = outputs.map(async ({ name }) => {
      const local = await readFile(path.join(folder, name));
      const bytes = await this.put(name, local);
      const fingerprint = fingerprintOf(bytes);
      if (bytes !== local) await putOutput(folder, name, bytes, fingerprint);
      return { name, fingerprint };
    });
    return { ...content, outputs: withOutputs(content.outputs, await Promise.all(puts)) };
  }

  /** Outputs of a picture's bytes, such as the outputs of a killed worker. */
  async outputsOf(hash: string): Promise<Fingerprints> {
    const outputs: { name: string; fingerprint: string }[] = [];
    for await (const { key: file } of this.#client.list(FILES + outputName(hash, '-'))) {
      const name = file.slice(FILES.length);
      // Objects are put completely or not at all, so an existing one is intact.
      const object = isOutputName(name) ? await this.#client.get(file) : undefined;
      if (object) outputs.push({ name, fingerprint: fingerprintOf(object.bytes) });
    }
    return withOutputs({}, outputs);
  }

  /** Removes outputs by name. A missing one is ignored. */
  async remove(names: Iterable<string>): Promise<void> {
    await pMap(names, (name) => this.#client.delete(FILES + name), { concurrency: REMOVALS });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#http[Symbol.asyncDispose]();
  }
}
