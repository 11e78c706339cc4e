import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { HttpClient } from '../../../src/lib/http/http.ts';
import { S3Client, s3Reason } from '../../../src/lib/s3/client.ts';
import { serve } from '../../support/server.ts';

const SECRET = 'marker-secret-99';

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
}

const HOST = { name: 'The host', code: 'host', fix: 'Look.', later: 'Wait.', reasonOf: s3Reason };

/** A client of a host on loopback that returns these responses in turn. */
async function withHost(answers: Answer[]) {
  const asked: string[] = [];
  const hashed: boolean[] = [];
  const server = await serve(async (request, response) => {
    const { method, url = '', headers } = request;
    const condition = headers['if-match'] ?? headers['if-none-match'];
    asked.push(`${method} ${decodeURIComponent(url)}${condition ? ` if ${condition}` : ''}`);
    const sha256 = createHash('sha256').update(await buffer(request));
    hashed.push(headers['x-amz-content-sha256'] === sha256.digest('hex'));
    const { status = 200, headers: sent, body } = answers.shift() ?? { status: 500 };
    response.writeHead(status, sent).end(body);
  });
  const clock = { now: Date.now, sleep: async () => {} };
  const http = new HttpClient({ ...HOST, clock });
  onTestFinished(async () => {
    await http[Symbol.asyncDispose]();
    await server.close();
  });
  const client = new S3Client({
    bucket: `${server.url}/b`,
    folder: 'f',
    region: 'us-east-1',
    accessKeyId: 'id',
    secretAccessKey: new Secret(SECRET),
    http,
  });
  return { asked, hashed, client };
}

const page = (keys: string[], next = ''): Answer => ({
  body: `<ListBucketResult>${next && `<NextContinuationToken>${next}</NextContinuationToken>`}${keys
    .map(
      (key, size) =>
        `<Contents><Key>${key}</Key><ETag>&quot;1&quot;</ETag><Size>${size}</Size></Contents>`,
    )
    .join('')}</ListBucketResult>`,
});

describe('an S3 client', () => {
  it('lists page by page and requests the next one only on demand', async () => {
    const host = await withHost([page(['f/a/1', 'other', 'f/a/&amp;2'], 'more'), page(['f/a/3'])]);
    const found: string[] = [];
    for await (const { key, etag, size } of host.client.list('a/')) {
      found.push(`${key} ${etag} ${size}`);
      if (key === 'a/1') expect(host.asked).toHaveLength(1);
    }
    expect(found).toEqual(['a/1 1 0', 'a/&2 1 2', 'a/3 1 0']);
    expect(host.asked).toEqual([
      'GET /b?list-type=2&prefix=f/a/',
      'GET /b?list-type=2&prefix=f/a/&continuation-token=more',
    ]);
  });

  it('sends the hash of each upload and retries temporary faults', async () => {
    const answers = [409, 425, 503, 429, 200].map((status) => ({ status }));
    const host = await withHost(answers);
    await host.client.put('a b', 'text');
    expect(host.asked).toEqual(Array(5).fill('PUT /b/f/a b'));
    expect(host.hashed).toEqual(Array(5).fill(true));
  });

  it('reports a refusal immediately, without key and signature', async () => {
    const host = await withHost([
      { status: 403, body: '<Error>\n<Code>AccessDenied</Code></Error>' },
    ]);
    const error = await host.client.get('a').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'host-refused', why: 'It reported: "AccessDenied".' });
    expect(inspect(error)).not.toContain(SECRET);
    expect(inspect(host.client, { depth: 9, showHidden: true })).not.toContain(SECRET);
    expect(host.asked).toHaveLength(1);
  });

  it('only accepts a listing as a listing', async () => {
    const host = await withHost([{ body: '<html>a page of a gateway</html>' }]);
    await expect(host.client.list('a/').next()).rejects.toThrow('no usable response');
  });

  it('recognises by the bytes that a write with a lost response succeeded', async () => {
    const host = await withHost([{ status: 412 }, { headers: { etag: '"new"' }, body: 'text' }]);
    expect(await host.client.putIf('a', 'text', { ifMatch: 'old' })).toBe('new');
    expect(host.asked).toEqual(['PUT /b/f/a if "old"', 'GET /b/f/a']);
  });

  it('deletes an object, also a missing one', async () => {
    const host = await withHost([{ status: 204 }, { status: 404 }]);
    await host.client.delete('a');
    await host.client.delete('b');
    expect(host.asked).toEqual(['DELETE /b/f/a', 'DELETE /b/f/b']);
  });
});
