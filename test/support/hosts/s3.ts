import { createHash, createHmac } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { xmlText } from '../../../src/lib/html.ts';
import { type Answer, type Asked, findFile, type HostServer, startHost } from './host.ts';

interface Stored {
  body: Buffer;
  type?: string;
  cache?: string;
  encoding?: string;
  /** Upload time, milliseconds since 1970. Long ago by default. */
  at?: number;
}

export interface S3Host extends HostServer {
  /** By `/bucket/key`. */
  objects: Map<string, Stored>;
  /** Names of the requests so far, `METHOD /bucket/key`, without those for the lock. */
  work(): string[];
  /** Refuses a request such as `PUT /bucket/key`, or all requests such as `GET`. Undefined refuses none. */
  refuse(request: string | undefined): void;
  /** Responds 409 to the given number of conditional writes. */
  conflicts: number;
}

/** How a host treats conditions of a write. */
export type Conditions =
  /** Like Amazon. */
  | 'obeyed'
  /** Ceph 16: the value of `If-Match` must have no quotes. */
  | 'unquoted'
  /** They are ignored. */
  | 'ignored'
  /** Unknown headers are refused: 501 (S3's list of error responses). */
  | 'refused'
  /** They are refused like a wrong request: 400. */
  | 'invalid';

const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();
const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

/** Signature version 4 as Amazon documents it, recomputed from the received request. */
function isSigned(
  { method, path, query, headers, body }: Asked,
  keys: { id: string; secret: string },
): boolean {
  const { authorization = '' } = headers;
  const [, id, scope = '', names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(
      authorization,
    ) ?? [];
  if (id !== keys.id || headers['x-amz-content-sha256'] !== sha256(body)) return false;
  const lines = names
    .split(';')
    .map((name) => `${name}:${String(headers[name] ?? '').trim()}\n`)
    .join('');
  const sorted = [...query].map((pair) => pair.map(encodeURIComponent).join('=')).sort();
  // All characters except unreserved ones are encoded, in any received form.
  const strict = path
    .split('/')
    .map((part) => encodeURIComponent(decodeURIComponent(part)))
    .join('/')
    .replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  const canonical = [method, strict, sorted.join('&'), lines, names, sha256(body)].join('\n');
  const time = String(headers['x-amz-date']);
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = scope
    .split('/')
    .reduce<string | Buffer>((former, part) => hmac(former, part), `AWS4${keys.secret}`);
  return hmac(key, toSign).toString('hex') === signature;
}

// docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
const refuse = (status: number, code: string, message = ''): Answer => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code>${message && `<Message>${message}</Message>`}</Error>`,
});

const plain = ({ body, encoding }: Stored): Buffer =>
  encoding === 'gzip' ? gunzipSync(body) : body;

/**
 * An S3 host on loopback, limited to deploys and visitors: GET, PUT and DELETE of objects in one
 * bucket, refused without a correct signature, and the site like on its website endpoint.
 */
export async function startS3Host({
  bucket = 'cars',
  prefix = '',
  id = 'AKIDEXAMPLE',
  secret = 'a-secret/with+signs=',
  sessionToken,
  conditions = 'obeyed',
  now = Date.now,
}: {
  bucket?: string;
  /** Folder of the site in the bucket, without surrounding slashes. */
  prefix?: string;
  id?: string;
  secret?: string;
  /** Token of temporary keys, required in every request. */
  sessionToken?: string;
  conditions?: Conditions;
  /** Milliseconds since 1970. */
  now?: () => number;
} = {}): Promise<S3Host> {
  const objects = new Map<string, Stored>();
  const root = `/${bucket}/${prefix === '' ? '' : `${prefix}/`}`;
  let refused: string | undefined;
  // Computed once for each body: a listing of a large site would hash gigabytes.
  const etags = new WeakMap<Buffer, string>();
  const etagOf = ({ body }: Stored): string => {
    const etag = etags.get(body) ?? `"${createHash('md5').update(body).digest('hex')}"`;
    etags.set(body, etag);
    return etag;
  };
  const headersOf = (stored: Stored): Record<string, string> => ({
    etag: etagOf(stored),
    date: new Date(now()).toUTCString(),
    'last-modified': new Date(stored.at ?? 0).toUTCString(),
    ...(stored.type !== undefined && { 'content-type': stored.type }),
    ...(stored.cache !== undefined && { 'cache-control': stored.cache }),
    ...(stored.encoding !== undefined && { 'content-encoding': stored.encoding }),
  });

  // docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html: 412 if the condition is not met,
  // 409 during another write, 404 if `If-Match` names a missing object.
  function fails({ headers }: Asked, found: Stored | undefined): Answer | undefined {
    const match = headers['if-match'];
    const noneMatch = headers['if-none-match'];
    if (match === undefined && noneMatch === undefined) return undefined;
    if (conditions === 'ignored') return undefined;
    if (conditions === 'refused') return refuse(501, 'NotImplemented');
    if (conditions === 'invalid') return refuse(400, 'InvalidArgument');
    if (s3.conflicts > 0) {
      s3.conflicts--;
      return refuse(409, 'ConditionalRequestConflict');
    }
    if (noneMatch !== undefined) return found && refuse(412, 'PreconditionFailed');
    if (!found) return refuse(404, 'NoSuchKey');
    const etag = etagOf(found);
    const expected = conditions === 'unquoted' ? etag.replaceAll('"', '') : etag;
    return match === expected ? undefined : refuse(412, 'PreconditionFailed');
  }

  // docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html: in order of the keys.
  function list(prefix: string): Answer {
    const below = `/${bucket}/`;
    const contents = [...objects]
      .map(([name, stored]) => [name.slice(below.length), stored] as const)
      .filter(([key]) => key.startsWith(prefix))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(
        ([key, stored]) =>
          `<Contents><Key>${xmlText(key)}</Key><LastModified>${new Date(stored.at ?? 0).toISOString()}</LastModified><ETag>${xmlText(etagOf(stored))}</ETag><Size>${stored.body.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`,
      );
    return {
      status: 200,
      headers: { 'content-type': 'application/xml' },
      body: `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${contents.join('')}</ListBucketResult>`,
    };
  }

  async function api(asked: Asked): Promise<Answer> {
    const { method, body, headers } = asked;
    const name = decodeURIComponent(asked.path);
    if (!isSigned(asked, { id, secret }))
      return refuse(403, 'SignatureDoesNotMatch', 'Check your key and signing method.');
    const token = headers['x-amz-security-token'];
    const isTokenSigned = headers.authorization?.includes('x-amz-security-token') === true;
    if (token !== sessionToken || (token !== undefined && !isTokenSigned))
      return refuse(403, 'InvalidToken', `No such token: ${token}`);
    if ([method, `${method} ${name}`].includes(refused ?? '')) return refuse(403, 'AccessDenied');
    if (name === `/${bucket}` && asked.query.get('list-type') === '2') {
      return list(asked.query.get('prefix') ?? '');
    }
    if (!name.startsWith(`/${bucket}/`)) return refuse(404, 'NoSuchBucket');
    const found = objects.get(name);
    if (method === 'PUT') {
      const failed = fails(asked, found);
      if (failed) return failed;
      const stored: Stored = {
        body,
        type: headers['content-type'],
        cache: headers['cache-control'],
        encoding: headers['content-encoding'],
        at: now(),
      };
      objects.set(name, stored);
      if (!isOurs(name)) host.bytes.up += plain(stored).length;
      return { status: 200, headers: { etag: etagOf(stored) } };
    }
    if (method === 'DELETE') {
      objects.delete(name);
      return { status: 204 };
    }
    if (!found) return refuse(404, 'NoSuchKey');
    return { status: 200, headers: headersOf(found), body: found.body };
  }

  /** Objects of deploys, which are not files of the site. */
  const isOurs = (name: string): boolean => /^\.deploy/.test(name.slice(root.length));

  // docs.aws.amazon.com/AmazonS3/latest/userguide/IndexDocumentSupport.html
  function visit({ path }: Asked): Answer {
    const place = findFile(path, (name) => objects.has(root + name));
    if (place && 'location' in place) return { status: 302, headers: place };
    const found = place && objects.get(root + place.file);
    if (found) return { status: 200, headers: headersOf(found), body: found.body };
    const other = objects.get(`${root}404.html`);
    return other
      ? { status: 404, headers: headersOf(other), body: other.body }
      : refuse(404, 'NoSuchKey');
  }

  const host = await startHost({
    api,
    visit,
    // It returns the bytes as uploaded.
    compresses: false,
    limited: () => refuse(503, 'SlowDown'),
    served: () =>
      new Map(
        [...objects]
          .filter(([name]) => name.startsWith(root) && !isOurs(name))
          .map(([name, stored]) => [name.slice(root.length), plain(stored)] as const)
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    // Content is stored by name, so this host never requests it again.
    forget: () => {},
    environment: (url) => ({
      DEPLOY_TO: 's3',
      S3_BUCKET: bucket,
      S3_ENDPOINT: url,
      S3_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: id,
      AWS_SECRET_ACCESS_KEY: secret,
      ...(sessionToken !== undefined && { AWS_SESSION_TOKEN: sessionToken }),
      ...(prefix !== '' && { S3_PREFIX: prefix }),
    }),
    now,
  });
  const s3: S3Host = Object.assign(host, {
    objects,
    work: () =>
      host.requests
        .map((request) => decodeURIComponent(request))
        .filter((request) => !request.includes('/.deploying.json')),
    refuse: (request: string | undefined) => {
      refused = request;
    },
    conflicts: 0,
  });
  return s3;
}
