import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { fileHashSchema } from '../../../change-set/change-set.ts';
import type { Bucket } from './bucket.ts';

/** Name of the list of the last deploy that ended. */
const LIST = '.deployed.json';

const listSchema = z.strictObject({
  version: z.literal(1),
  /** When that site was built, UTC. */
  built: z.iso.datetime(),
  /** Its files without thumbnails, by path: hash of the bytes, and the ETag that the host gave the object. */
  files: z.record(z.string(), z.tuple([fileHashSchema, z.string()])),
});

/** The site that the last deploy left in the bucket. */
export interface Deployed {
  built: string;
  files: ReadonlyMap<string, readonly [hash: string, etag: string]>;
}

export const deployedText = ({ built, files }: Deployed): string =>
  JSON.stringify({ version: 1, built, files: Object.fromEntries(files) });

/** @returns undefined before the first deploy, and if the list is damaged. */
export async function readDeployed(bucket: Bucket): Promise<Deployed | undefined> {
  const bytes = await bucket.getFile(LIST);
  try {
    const { built, files } = listSchema.parse(JSON.parse(String(bytes)));
    return { built, files: new Map(Object.entries(files)) };
  } catch {
    return undefined;
  }
}

export const writeDeployed = (bucket: Bucket, text: string): Promise<void> =>
  bucket.putOwn(LIST, gzipSync(text));
