import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { Answer, Asked } from './host.ts';

/**
 * Uploads of static assets to Cloudflare for the host in cloudflare-workers.ts, which names the sources of
 * its rules.
 */
export interface UploadSettings {
  /** Number of sessions that return `"result": null` and start nothing. */
  nullSessions: number;
  /** Awaited before an upload is processed. */
  beforeUpload: (() => Promise<unknown>) | undefined;
  /** Maximum bytes of one bucket. */
  bucketBytes: number;
}

export interface Asset {
  hash: string;
  size: number;
}

export interface Content {
  bytes: Buffer;
  type: string | undefined;
}

interface Session {
  manifest: Map<string, Asset>;
  needed: Set<string>;
  /** Content by hash that it will serve. Content lost later does not affect sessions that have started. */
  contents: Map<string, Content>;
}

const MIB = 2 ** 20;
// "Each file must be under 25 MiB", "not more than 20,000 file entries" (docs, Limitations).
const FILE_BYTES = 25 * MIB;
const ENTRIES = 20_000;
// "The JWT is valid for one hour", and so is the completion token (docs).
const TOKEN_LIFE = 3600;

/** The envelope of all responses (API). */
export const result = (value: unknown, status = 200): Answer => ({
  status,
  body: { success: true, errors: [], messages: [], result: value },
});
export const refuse = (status: number, code: number, message: string, headers = {}): Answer => ({
  status,
  headers,
  body: { success: false, errors: [{ code, message }], messages: [], result: null },
});

export function startUploads({
  now,
  host,
}: {
  now: () => number;
  /** Known once the server listens. */
  host: () => UploadSettings & { bytes: { up: number } };
}) {
  const key = randomBytes(32);
  const sessions = new Map<string, Session>();
  /** Contents that it does not request again. */
  const memory = new Map<string, Content>();

  /** JSON Web Tokens with HS256 (RFC 7519). The tool reads their payload (helpers/jwt.ts). */
  function sign(use: 'upload' | 'completion', session: string): string {
    const claims = {
      iat: Math.floor(now() / 1000),
      exp: Math.floor(now() / 1000) + TOKEN_LIFE,
      use,
      session,
    };
    const [head, body] = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    const signature = createHmac('sha256', key).update(`${head}.${body}`).digest('base64url');
    return `${head}.${body}.${signature}`;
  }

  /** The session of a token. Undefined if the token is foreign, expired or for another purpose. */
  function sessionOf(token: string, use: 'upload' | 'completion'): [string, Session] | undefined {
    const [head, body = '', signature] = token.split('.');
    const right = createHmac('sha256', key).update(`${head}.${body}`).digest('base64url');
    if (signature !== right) return undefined;
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    const session = sessions.get(claims.session);
    if (!session || claims.use !== use || claims.exp <= now() / 1000) return undefined;
    return [claims.session, session];
  }

  function openSession({ body }: Asked): Answer {
    if (host().nullSessions > 0) {
      // Observed in practice: success with an empty result (cloudflare/workers-sdk#9465).
      host().nullSessions--;
      return result(null);
    }
    const entries = Object.entries<Asset>(JSON.parse(String(body)).manifest ?? {});
    // Codes and statuses of these refusals have no source.
    if (entries.length > ENTRIES) {
      return refuse(413, 100_324, `The manifest has more than ${ENTRIES} entries.`);
    }
    for (const [path, { hash, size }] of entries) {
      // "32 hexadecimal characters" (docs). Raw paths with a slash (tool, workers-shared).
      if (!path.startsWith('/') || !/^[0-9a-f]{32}$/.test(hash) || !Number.isInteger(size)) {
        return refuse(400, 10_021, `The manifest is not right at ${path}.`);
      }
      if (size > FILE_BYTES) return refuse(413, 100_325, `${path} is larger than 25 MiB.`);
    }
    const manifest = new Map(entries);
    const missing = new Map<string, number>();
    const contents: Session['contents'] = new Map();
    for (const { hash, size } of manifest.values()) {
      const known = memory.get(hash);
      if (known) contents.set(hash, known);
      else missing.set(hash, size);
    }
    const id = randomUUID();
    sessions.set(id, { manifest, needed: new Set(missing.keys()), contents });
    // "If all assets have been previously uploaded, buckets will be empty, and jwt will contain a
    // completion token" (docs).
    if (missing.size === 0) return result({ jwt: sign('completion', id), buckets: [] });
    const buckets: string[][] = [];
    let room = 0;
    for (const [hash, size] of missing) {
      if (buckets.length === 0 || size > room) {
        buckets.push([]);
        room = host().bucketBytes;
      }
      buckets.at(-1)?.push(hash);
      room -= size;
    }
    return result({ jwt: sign('upload', id), buckets });
  }

  /** Accepts files of a session: 202 until the last missing one, then 201 with a completion token (API). */
  function take(
    [id, session]: [string, Session],
    files: { hash: string; bytes: Buffer; type: string }[],
  ): Answer {
    const sizes = new Map([...session.manifest.values()].map(({ hash, size }) => [hash, size]));
    for (const { hash, bytes } of files) {
      if (sizes.get(hash) !== bytes.length) {
        return refuse(400, 10_021, `${hash} is not in the manifest with ${bytes.length} bytes.`);
      }
    }
    for (const { hash, bytes, type } of files) {
      if (!memory.has(hash)) host().bytes.up += bytes.length;
      // "To avoid sending a Content-Type header, application/null may be sent" (docs).
      const content = { bytes, type: type === 'application/null' ? undefined : type };
      // The content is kept even if the session fails (tool: "Assets already uploaded have been saved").
      memory.set(hash, content);
      session.contents.set(hash, content);
      session.needed.delete(hash);
    }
    if (session.needed.size > 0) return result({}, 202);
    return result({ jwt: sign('completion', id) }, 201);
  }

  async function upload(request: Asked): Promise<Answer> {
    const { headers, query, body } = request;
    await host().beforeUpload?.();
    const token = (headers.authorization ?? '').replace(/^Bearer /, '');
    const session = sessionOf(token, 'upload');
    // Bearer is the session's token, not the account's (docs). Code and status have no source.
    if (!session) return refuse(401, 10_001, 'The upload token is not valid, or it has expired.');
    const type = String(headers['content-type']);
    // "The base64 query parameter must be set to true" (docs).
    if (query.get('base64') !== 'true') return refuse(400, 10_021, 'base64 must be true.');
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
      .formData()
      .catch(() => undefined);
    if (!form) return refuse(400, 10_021, 'The body is no multipart/form-data.');
    const files: Parameters<typeof take>[1] = [];
    for (const [name, file] of form) {
      // A part uses the hash as its name and as its file name (docs, sample).
      if (typeof file === 'string' || file.name !== name) {
        return refuse(400, 10_021, `${name} is not sent as a file of that name.`);
      }
      const text = await file.text();
      if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return refuse(400, 10_021, 'It is no base64.');
      files.push({ hash: name, bytes: Buffer.from(text, 'base64'), type: file.type });
    }
    return take(session, files);
  }

  return { memory, openSession, sessionOf, upload };
}
