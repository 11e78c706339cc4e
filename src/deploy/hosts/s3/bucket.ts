import { gunzipSync, gzipSync } from 'node:zlib';
import { getMimeType } from 'hono/utils/mime';
import { z } from 'zod';
import { fileHashSchema } from '../../../change-set/change-set.ts';
import type { DeploySettings } from '../../../config/deploy-settings.ts';
import { MEDIA } from '../../../images/stores/folder.ts';
import { type Http, LARGEST_RESPONSE } from '../../../lib/http/http.ts';
import { matchingJson } from '../../../lib/json.ts';
import { S3Client, type S3Entry } from '../../../lib/s3/client.ts';
import { PUBLISHED_TIMES, RECORDS } from '../../../record/published-records.ts';
import type { HostHttpSettings } from '../../host-api/http.ts';

export const HTTP: HostHttpSettings = {
  code: 's3',
  name: 'The S3 host',
  fix: 'Check S3_BUCKET, S3_ENDPOINT (without the bucket) and S3_REGION (or AWS_REGION), and that the keys may list the bucket, and get, put and delete objects (docs/hosting.md has the policy). Temporary keys also need AWS_SESSION_TOKEN, and expire. A host that refuses only conditional requests cannot be used.',
  address: 'S3_ENDPOINT',
};

/** A year for thumbnails, which never change under their names. Otherwise long enough to spare the host. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
const SHORT = 'public, max-age=300';

/** Headers of files that only deploys read. */
export const INTERNAL = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/**
 * Stored and served compressed, because S3 hosts do not compress: files for browsers and scheduled builds. Programs that
 * read other files may not accept it, nor may a host that sends the error page with its own headers.
 */
const isCompressed = (key: string): boolean =>
  (/\.(?:html|css|js)$/.test(key) && key !== '404.html') ||
  (key.startsWith(RECORDS) && key.endsWith('.json') && key !== PUBLISHED_TIMES);

/** Name of the list of the last complete deploy. */
const LIST = '.deployed.json';

const listSchema = z.strictObject({
  version: z.literal(1),
  /** When that site was built, UTC. */
  built: z.iso.datetime(),
  /** Its URL, if it is known. */
  site: z.string().optional(),
  /** Its files without thumbnails, by path: hash of the bytes, and the ETag that the host gave the object. */
  files: z.record(z.string(), z.tuple([fileHashSchema, z.string()])),
});

type Deployed = z.infer<typeof listSchema>;

export const deployedText = ({ built, site, files }: Omit<Deployed, 'version'>): string =>
  JSON.stringify({ version: 1, built, site, files });

/** The folder of the site in a bucket. */
export class Bucket extends S3Client {
  constructor({ endpoint, bucket, prefix, ...keys }: DeploySettings['s3'], http: Http) {
    super({ ...keys, bucket: `${endpoint}/${bucket}`, folder: prefix, http });
  }

  async objects(): Promise<Map<string, S3Entry>> {
    const entries = new Map<string, S3Entry>();
    for await (const entry of this.list('')) {
      // Other keys could lead out of the deployed folder.
      const isSafe = !entry.key.split('/').some((part) => ['', '.', '..'].includes(part));
      if (isSafe) entries.set(entry.key, entry);
    }
    return entries;
  }

  /**
   * The bytes that were passed to {@link putFile}. Undefined if the object does not exist.
   *
   * @param most more bytes stay compressed, because any object could fill the memory.
   */
  async getFile(key: string, most = LARGEST_RESPONSE): Promise<Buffer | undefined> {
    const bytes = (await this.get(key))?.bytes;
    try {
      return bytes && gunzipSync(bytes, { maxOutputLength: most + 1 });
    } catch {
      return bytes;
    }
  }

  /** Puts a file of the site, as visitors receive it. @returns its ETag. */
  putFile(key: string, bytes: Buffer): Promise<string> {
    const headers = {
      'content-type': getMimeType(key) ?? 'application/octet-stream',
      'cache-control': key.startsWith(MEDIA) ? IMMUTABLE : SHORT,
    };
    if (!isCompressed(key)) return this.put(key, bytes, headers);
    return this.put(key, gzipSync(bytes, { level: 9 }), { ...headers, 'content-encoding': 'gzip' });
  }

  /** The list of the last deploy. Undefined before the first one, and if the list is damaged. */
  async deployed(): Promise<Deployed | undefined> {
    const bytes = await this.getFile(LIST);
    return bytes && matchingJson(bytes, listSchema);
  }

  /** @param text see {@link deployedText}. */
  async putDeployed(text: string): Promise<void> {
    await this.put(LIST, gzipSync(text), INTERNAL);
  }
}
