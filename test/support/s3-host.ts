import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Stored {
  body: Buffer;
  type: string | undefined;
  cache: string | undefined;
}

export interface S3Host extends AsyncDisposable {
  endpoint: string;
  /** By `/bucket/key`. */
  objects: Map<string, Stored>;
  /** `METHOD /bucket/key` of every accepted request, in order. */
  requests: string[];
  /** Answers this status to the next so many requests. */
  fail(status: number, times: number): void;
  /** Refuses a request such as `PUT /bucket/key`; undefined refuses none. */
  refuse(request: string | undefined): void;
}

const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();
const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

/** Signature version 4 as Amazon documents it, worked out anew from the request that arrived. */
function isSigned(request: IncomingMessage, body: Buffer, keys: { id: string; secret: string }) {
  const { authorization = '' } = request.headers;
  const [, id, scope = '', names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(
      authorization,
    ) ?? [];
  if (id !== keys.id || request.headers['x-amz-content-sha256'] !== sha256(body)) return false;
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const headers = names
    .split(';')
    .map((name) => `${name}:${String(request.headers[name] ?? '').trim()}\n`)
    .join('');
  const canonical = [request.method, path, query, headers, names, sha256(body)].join('\n');
  const time = String(request.headers['x-amz-date']);
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = scope
    .split('/')
    .reduce<string | Buffer>((former, part) => hmac(former, part), `AWS4${keys.secret}`);
  return hmac(key, toSign).toString('hex') === signature;
}

/**
 * An S3 host on loopback, as far as a deploy uses one: GET, PUT and DELETE of objects below one
 * bucket, refused without a right signature.
 */
export async function startS3Host({
  bucket,
  id,
  secret,
}: {
  bucket: string;
  id: string;
  secret: string;
}): Promise<S3Host> {
  const objects = new Map<string, Stored>();
  const requests: string[] = [];
  let refused: string | undefined;
  let failing = { status: 0, times: 0 };
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const answer = (status: number, content?: Buffer) => response.writeHead(status).end(content);
    if (failing.times > 0) {
      failing.times--;
      return answer(failing.status);
    }
    if (!isSigned(request, body, { id, secret })) return answer(403);
    const name = decodeURIComponent(request.url ?? '');
    if (`${request.method} ${name}` === refused) return answer(403);
    requests.push(`${request.method} ${name}`);
    if (!name.startsWith(`/${bucket}/`)) return answer(404);
    if (request.method === 'PUT') {
      const type = request.headers['content-type'];
      objects.set(name, { body, type, cache: request.headers['cache-control'] });
      return answer(200);
    }
    if (request.method === 'DELETE') return answer(objects.delete(name) ? 204 : 404);
    const found = objects.get(name);
    if (!found) return answer(404);
    const etag = `"${createHash('md5').update(found.body).digest('hex')}"`;
    return response.writeHead(200, { etag }).end(found.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    objects,
    requests,
    fail: (status, times) => {
      failing = { status, times };
    },
    refuse: (request) => {
      refused = request;
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
