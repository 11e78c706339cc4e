import type { StoreConfig } from '../../src/config/engines.ts';
import { HttpClient } from '../../src/lib/http/http.ts';
import { S3Client } from '../../src/lib/s3/client.ts';

/** Reads and writes all objects of a bucket or a folder in it for tests. */
export function openBucket({ url, accessKeyId, ...keys }: StoreConfig) {
  const { origin, pathname } = new URL(url);
  const [bucket = '', ...folder] = pathname.split('/').filter(Boolean);
  const http = new HttpClient({
    name: 'The bucket',
    code: 'bucket',
    fix: 'Look.',
    later: 'Wait.',
    longestWait: 1000,
    pause: () => 100,
    stalled: 30_000,
    connections: 16,
  });
  const client = new S3Client({
    ...keys,
    bucket: `${origin}/${bucket}`,
    folder: folder.join('/'),
    accessKeyId: accessKeyId.reveal(),
    http,
  });
  return {
    client,
    names: async (prefix = '') => {
      const names: string[] = [];
      for await (const { key } of client.list(prefix)) names.push(key);
      return names.sort();
    },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
}
