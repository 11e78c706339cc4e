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
  /** Refuses a request such as `PUT /bucket/key`, or all such as `GET`; undefined refuses none. */
  refuse(request: string | undefined): void;
  /**
   * From this request on nothing is answered, as when the other side loses its network.
   *
   * @param request its number, from 1, counted from now.
   * @param carriesOut whether it is carried out although nobody learns of it.
   * @param onCut called at that request.
   */
  cut(at: { request: number; carriesOut: boolean; onCut: () => void } | undefined): void;
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
  maySee = true,
}: {
  bucket: string;
  id: string;
  secret: string;
  /** Whether the keys have `s3:ListBucket`: without it Amazon answers 403 for what is not there. */
  maySee?: boolean;
}): Promise<S3Host> {
  const objects = new Map<string, Stored>();
  const requests: string[] = [];
  let refused: string | undefined;
  let failing = { status: 0, times: 0 };
  let cutting: (Parameters<S3Host['cut']>[0] & { seen: number }) | undefined;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const beyond = cutting ? ++cutting.seen - cutting.request : -1;
    if (beyond === 0) cutting?.onCut();
    if (beyond > 0 || (beyond === 0 && !cutting?.carriesOut)) return response.destroy();
    const answer = (status: number, content?: Buffer) =>
      beyond === 0 ? response.destroy() : response.writeHead(status).end(content);
    if (failing.times > 0) {
      failing.times--;
      return answer(failing.status);
    }
    if (!isSigned(request, body, { id, secret })) return answer(403);
    const name = decodeURIComponent(request.url ?? '');
    if ([request.method, `${request.method} ${name}`].includes(refused)) return answer(403);
    requests.push(`${request.method} ${name}`);
    if (!name.startsWith(`/${bucket}/`)) return answer(404);
    if (request.method === 'PUT') {
      const type = request.headers['content-type'];
      objects.set(name, { body, type, cache: request.headers['cache-control'] });
      return answer(200);
    }
    if (request.method === 'DELETE') return answer(objects.delete(name) ? 204 : 404);
    const found = objects.get(name);
    return found ? answer(200, found.body) : answer(maySee ? 404 : 403);
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
    cut: (at) => {
      cutting = at && { ...at, seen: 0 };
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
