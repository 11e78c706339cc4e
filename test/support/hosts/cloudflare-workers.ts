import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { type Answer, type Asked, type HostServer, startHost } from './host.ts';
import { type AssetConfig, assetAnswer } from './worker-assets.ts';

/**
 * Cloudflare Workers with static assets on loopback, as far as a deploy by direct upload and visitors
 * use it. Beside each rule stands where it comes from:
 *
 * - docs: developers.cloudflare.com/workers/static-assets/direct-upload/
 * - API: developers.cloudflare.com/api/resources/workers/ (and Cloudflare's OpenAPI description)
 * - tool: observed in the official tool's source, cloudflare/workers-sdk, packages/deploy-helpers
 *
 * Where there is none, it says so, and is the strictest that a client may meet.
 */
export interface CloudflareWorkersHost extends HostServer {
  /** What its owner sees, and can set. */
  worker: CloudflareWorker;
  /** Versions of the Worker, the newest first. */
  versions(): { id: string; message: string; isLive: boolean }[];
  /** Starts as somebody's own Worker: a script, put there by hand. */
  putForeign(message?: string): void;
  /** So many sessions answer `"result": null`, and begin nothing. */
  nullSessions: number;
  /** Signs uploads that take one file each, so many at once. */
  singleUploads: number | undefined;
  /** For each upload, how many were under way when it came, itself among them. */
  uploadsUnderWay: number[];
  /** Waited for before an upload is looked at. */
  beforeUpload: (() => Promise<unknown>) | undefined;
  /** Most bytes of one bucket. */
  bucketBytes: number;
  /** Answers so many uploads as a gateway does that gave up waiting. */
  gatewayErrors: number;
  /** Called before a request is looked at. */
  onRequest: ((line: string) => void) | undefined;
}

export interface CloudflareWorker {
  /** Whether it has an address on workers.dev, and its old versions have one. */
  subdomain: { enabled: boolean; previews: boolean };
  /** Whether the account has a name on workers.dev at all. */
  accountHasSubdomain: boolean;
  /** Whether its owner has connected a domain: then it is served there. */
  hasDomain: boolean;
}

interface Asset {
  hash: string;
  size: number;
}

interface Content {
  bytes: Buffer;
  type: string | undefined;
}

interface Session {
  manifest: Map<string, Asset>;
  needed: Set<string>;
  /** What it will serve, by hash: what it forgets later is not lost to what was begun before. */
  contents: Map<string, Content>;
}

interface Version {
  id: string;
  number: number;
  created: number;
  message: string;
  config: AssetConfig;
  /** By path with a slash at the start. */
  assets: Map<string, Content & { hash: string }>;
}

interface Deployment {
  id: string;
  created: number;
  version: Version;
}

const ACCOUNT = '023e105f4ecef8ad9ca31a8372d0c353';
const WORKER = 'our-cars';
const TOKEN = 'cf_T0kenOfTheHostThatNobodyMaySee';

const MIB = 2 ** 20;
// "Each file must be under 25 MiB", "not more than 20,000 file entries" (docs, Limitations); 100,000 on
// paid plans (developers.cloudflare.com/workers/platform/limits/).
const FILE_BYTES = 25 * MIB;
const ENTRIES = { free: 20_000, paid: 100_000 };
// "The JWT is valid for one hour", and so is the completion token (docs).
const TOKEN_LIFE = 3600;
// "50 MiB per bucket" (tool, helpers/assets.ts).
const BUCKET = 50 * MIB;
// 1,200 requests in five minutes, then 429 with Retry-After (developers.cloudflare.com/fundamentals/api/reference/limits/).
const LIMIT = { requests: 1200, seconds: 300 };
// Versions that can be gone back to (developers.cloudflare.com/changelog, 2025-09-11).
const ROLLBACKS = 100;
// "Displays the 10 most recent deployments" (tool).
const DEPLOYMENTS = 10;
// "Truncated to 100 bytes" (API, annotations).
const MESSAGE = 100;

/** The envelope of all answers (API). */
const result = (value: unknown, status = 200): Answer => ({
  status,
  body: { success: true, errors: [], messages: [], result: value },
});
const refuse = (status: number, code: number, message: string, headers = {}): Answer => ({
  status,
  headers,
  body: { success: false, errors: [{ code, message }], messages: [], result: null },
});
// Code 10007 (tool, helpers/worker-not-found-error.ts); status 404 of the same answer in its tests.
const noWorker = () => refuse(404, 10007, 'This Worker does not exist on your account.');

export async function startCloudflareWorkersHost({
  now = Date.now,
  plan = 'free',
}: {
  now?: () => number;
  plan?: keyof typeof ENTRIES;
} = {}): Promise<CloudflareWorkersHost> {
  const worker: CloudflareWorker = {
    subdomain: { enabled: false, previews: false },
    accountHasSubdomain: true,
    hasDomain: false,
  };
  const key = randomBytes(32);
  const sessions = new Map<string, Session>();
  /** Contents that it does not ask for again. */
  const memory = new Map<string, Content>();
  /** The oldest first; undefined before the Worker is. */
  let versions: Version[] | undefined;
  const deployments: Deployment[] = [];
  let uploading = 0;

  const live = (): Version | undefined => deployments.at(-1)?.version;

  /** JSON Web Tokens with HS256 (RFC 7519); what is in them is read by the tool (helpers/jwt.ts). */
  function sign(use: 'upload' | 'completion', session: string): string {
    const claims = {
      iat: Math.floor(now() / 1000),
      exp: Math.floor(now() / 1000) + TOKEN_LIFE,
      use,
      session,
      // Claims by which one file goes in each request (tool, helpers/assets.ts).
      ...(use === 'upload' && host.singleUploads !== undefined
        ? { wrangler_single_asset_uploads: true, edge_kv_upload_concurrency: host.singleUploads }
        : {}),
    };
    const [head, body] = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    const signature = createHmac('sha256', key).update(`${head}.${body}`).digest('base64url');
    return `${head}.${body}.${signature}`;
  }

  /** The session that a token is of; undefined where it is not ours, expired, or for something else. */
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
    if (host.nullSessions > 0) {
      // Seen in the wild: success, and nothing in it (cloudflare/workers-sdk#9465).
      host.nullSessions--;
      return result(null);
    }
    const entries = Object.entries<Asset>(JSON.parse(String(body)).manifest ?? {});
    // No source for codes and statuses of these refusals.
    if (entries.length > ENTRIES[plan]) {
      return refuse(413, 100_324, `The manifest has more than ${ENTRIES[plan]} entries.`);
    }
    for (const [path, { hash, size }] of entries) {
      // "32 hexadecimal characters" (docs); paths raw, with a slash (tool, workers-shared).
      if (!path.startsWith('/') || !/^[0-9a-f]{32}$/.test(hash) || !Number.isInteger(size)) {
        return refuse(400, 10_021, `The manifest is not right at ${path}.`);
      }
      if (size > FILE_BYTES) return refuse(413, 100_325, `${path} is larger than 25 MiB.`);
    }
    const manifest = new Map(entries);
    const lacking = new Map<string, number>();
    const contents: Session['contents'] = new Map();
    for (const { hash, size } of manifest.values()) {
      const known = memory.get(hash);
      if (known) contents.set(hash, known);
      else lacking.set(hash, size);
    }
    const id = randomUUID();
    sessions.set(id, { manifest, needed: new Set(lacking.keys()), contents });
    // "If all assets have been previously uploaded, buckets will be empty, and jwt will contain a
    // completion token" (docs).
    if (lacking.size === 0) return result({ jwt: sign('completion', id), buckets: [] });
    const buckets: string[][] = [];
    let room = 0;
    for (const [hash, size] of lacking) {
      if (buckets.length === 0 || size > room) {
        buckets.push([]);
        room = host.bucketBytes;
      }
      buckets.at(-1)?.push(hash);
      room -= size;
    }
    return result({ jwt: sign('upload', id), buckets });
  }

  /** Takes files of a session: 202 until the last one that it needs, then 201 with a completion token (API). */
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
      if (!memory.has(hash)) host.bytes.up += bytes.length;
      // "To avoid sending a Content-Type header, application/null may be sent" (docs).
      const content = { bytes, type: type === 'application/null' ? undefined : type };
      // It stays, whatever becomes of the session (tool: "Assets already uploaded have been saved").
      memory.set(hash, content);
      session.contents.set(hash, content);
      session.needed.delete(hash);
    }
    if (session.needed.size > 0) return result({}, 202);
    return result({ jwt: sign('completion', id) }, 201);
  }

  async function upload(hash: string | undefined, request: Asked): Promise<Answer> {
    const { headers, query, body } = request;
    await host.beforeUpload?.();
    if (host.gatewayErrors > 0) {
      // Status 524 is a gateway's (tool, workers-utils, isGatewayError).
      host.gatewayErrors--;
      return { status: 524, body: '<html>A timeout occurred</html>' };
    }
    const token = (headers.authorization ?? '').replace(/^Bearer /, '');
    const session = sessionOf(token, 'upload');
    // Bearer is the session's token, not the account's (docs). No source for code and status.
    if (!session) return refuse(401, 10_001, 'The upload token is not valid, or it has expired.');
    const type = String(headers['content-type']);
    if (hash !== undefined) {
      if (host.singleUploads === undefined) return refuse(404, 7000, 'No route for that URI');
      // One file, its bytes as they are (tool, helpers/assets.ts).
      return take(session, [{ hash, bytes: Buffer.from(body), type }]);
    }
    // "The base64 query parameter must be set to true" (docs).
    if (query.get('base64') !== 'true') return refuse(400, 10_021, 'base64 must be true.');
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
      .formData()
      .catch(() => undefined);
    if (!form) return refuse(400, 10_021, 'The body is no multipart/form-data.');
    const files: Parameters<typeof take>[1] = [];
    for (const [name, file] of form) {
      // A part has the hash as its name and as the name of its file (docs, sample).
      if (typeof file === 'string' || file.name !== name) {
        return refuse(400, 10_021, `${name} is not sent as a file of that name.`);
      }
      const text = await file.text();
      if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return refuse(400, 10_021, 'It is no base64.');
      files.push({ hash: name, bytes: Buffer.from(text, 'base64'), type: file.type });
    }
    return take(session, files);
  }

  /** A version from the one part `metadata` of a form, which is all that a Worker without a script has (tool). */
  async function makeVersion({ headers, body }: Asked): Promise<Version | Answer> {
    const type = String(headers['content-type']);
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
      .formData()
      .catch(() => undefined);
    const metadata = JSON.parse(String(form?.get('metadata') ?? '{}'));
    const { assets, annotations, compatibility_date: date } = metadata;
    if (!assets && !metadata.main_module) return refuse(400, 10_021, 'There is nothing to run.');
    if (!/^\d{4}-\d\d-\d\d$/.test(date ?? '')) return refuse(400, 10_021, 'No compatibility_date.');
    const session = sessionOf(assets?.jwt ?? '', 'completion')?.[1];
    if (!session) return refuse(400, 10_021, 'The completion token is not valid.');
    const message = Buffer.from(String(annotations?.['workers/message'] ?? ''));
    const version: Version = {
      id: randomUUID(),
      number: (versions?.length ?? 0) + 1,
      created: now(),
      message: message.subarray(0, MESSAGE).toString(),
      config: assets.config ?? {},
      assets: new Map(
        [...session.manifest].map(([path, { hash }]) => [
          path,
          { hash, ...(session.contents.get(hash) as Content) },
        ]),
      ),
    };
    versions = [...(versions ?? []), version];
    return version;
  }

  const deployVersion = (version: Version): Deployment => {
    const deployment = { id: randomUUID(), created: now(), version };
    deployments.push(deployment);
    return deployment;
  };

  /** Fields of a version and of a deployment (API; tool, helpers/versions-types.ts). */
  const toldVersion = ({ id, number, created, message }: Version) => ({
    id,
    number,
    metadata: { created_on: new Date(created).toISOString(), source: 'api' },
    annotations: { 'workers/triggered_by': 'version_upload', 'workers/message': message },
    resources: { script: { handlers: [] }, bindings: [] },
  });
  const toldDeployment = ({ id, created, version }: Deployment) => ({
    id,
    created_on: new Date(created).toISOString(),
    source: 'api',
    strategy: 'percentage',
    versions: [{ version_id: version.id, percentage: 100 }],
  });
  const deployable = (): Version[] => (versions ?? []).slice(-ROLLBACKS).reverse();

  function createDeployment({ body }: Asked): Answer {
    const given = JSON.parse(String(body));
    const [first, ...others] = given.versions ?? [];
    if (given.strategy !== 'percentage' || others.length > 0 || first?.percentage !== 100) {
      return refuse(400, 10_021, 'The percentages are not 100.');
    }
    const version = deployable().find(({ id }) => id === first.version_id);
    if (!version) return refuse(404, 10_021, 'The version cannot be deployed.');
    return result(toldDeployment(deployVersion(version)));
  }

  async function script(rest: string[], request: Asked): Promise<Answer> {
    const { method, query } = request;
    const [part, id] = rest;
    const what = `${method} ${part ?? ''}`;
    if (what === 'POST assets-upload-session') return openSession(request);
    if (what === 'PUT ') {
      const version = await makeVersion(request);
      if ('status' in version) return version;
      // At once the version that runs (API, scripts, update).
      deployVersion(version);
      return result({ id: WORKER, deployment_id: version.id });
    }
    if (!versions) return noWorker();
    if (what === 'GET deployments') {
      // "The first deployment in the list is the latest deployment actively serving traffic" (API).
      const latest = [...deployments].reverse().slice(0, DEPLOYMENTS);
      return result({ deployments: latest.map(toldDeployment) });
    }
    if (what === 'POST deployments') return createDeployment(request);
    if (what === 'POST versions') {
      const version = await makeVersion(request);
      return 'status' in version ? version : result(toldVersion(version));
    }
    if (what === 'GET versions' && id === undefined) {
      // "deployable: only versions that can be used in a deployment; ignores pagination" (API).
      const listed = query.get('deployable') === 'true' ? deployable() : deployable().slice(0, 10);
      return result({ items: listed.map(toldVersion) });
    }
    if (what === 'GET versions') {
      const version = versions.find((one) => one.id === id);
      return version ? result(toldVersion(version)) : refuse(404, 10_021, 'No such version.');
    }
    if (what === 'POST subdomain') {
      // "haven't registered workers.dev" (tool, triggers/subdomain.ts).
      if (!worker.accountHasSubdomain) return refuse(409, 10_063, 'No workers.dev subdomain yet.');
      const given = JSON.parse(String(request.body));
      worker.subdomain = { enabled: given.enabled, previews: given.previews_enabled ?? true };
      return result({ enabled: given.enabled, previews_enabled: worker.subdomain.previews });
    }
    return refuse(405, 10_405, 'Method not allowed');
  }

  async function api(request: Asked): Promise<Answer> {
    const { method, path, headers } = request;
    host.onRequest?.(`${method} ${path}`);
    const [area, account, product, kind, name, ...rest] = path.slice(1).split('/');
    if (area !== 'accounts' || product !== 'workers') return refuse(404, 7000, 'No route');
    if (kind === 'assets' && name === 'upload' && method === 'POST') {
      return account === ACCOUNT ? upload(rest[0], request) : refuse(401, 10_001, 'Unauthorized');
    }
    // 9109 for a token that is none, 10000 for one that may not (issues of workers-sdk, such as #2863).
    if (headers.authorization !== `Bearer ${TOKEN}`) {
      return refuse(403, 9109, 'Invalid access token');
    }
    if (account !== ACCOUNT) return refuse(403, 10_000, 'Authentication error');
    // The account's name on workers.dev (tool, triggers/subdomain.ts).
    if (kind === 'subdomain' && method === 'GET') {
      return worker.accountHasSubdomain
        ? result({ subdomain: 'our-account' })
        : refuse(404, 10_007, 'You have not registered a workers.dev subdomain.');
    }
    if (kind === 'scripts' && name === WORKER) return script(rest, request);
    if (kind === 'scripts') return noWorker();
    return refuse(404, 7000, 'No route for that URI');
  }

  const host = Object.assign(
    await startHost({
      base: '/client/v4',
      now,
      api,
      visit: (request) => {
        const version = live();
        const isReachable = worker.hasDomain || worker.subdomain.enabled;
        if (!version || !isReachable) return { status: 404, body: 'There is nothing here yet' };
        return assetAnswer(version.assets, version.config, request);
      },
      arrives: (method, path) => {
        const isUpload = method === 'POST' && path.includes('/assets/upload');
        uploading += isUpload ? 1 : 0;
        if (isUpload) host.uploadsUnderWay.push(uploading);
        return () => {
          uploading -= isUpload ? 1 : 0;
        };
      },
      limited: ({ requests, seconds }, after) =>
        // Headers since 2025-09-03 (developers.cloudflare.com/changelog); the code is a known one.
        refuse(429, 971, 'Please wait and consider throttling your request speed', {
          'retry-after': String(after),
          ratelimit: `"default";r=0;t=${after}`,
          'ratelimit-policy': `"default";q=${requests};w=${seconds}`,
        }),
      served: () =>
        new Map([...(live()?.assets ?? [])].map(([path, { bytes }]) => [path.slice(1), bytes])),
      forget: (paths) => {
        // "Hashes of recently uploaded files may not be returned" (docs): nobody promises how long.
        if (!paths) return memory.clear();
        for (const version of versions ?? []) {
          for (const path of paths) memory.delete(version.assets.get(`/${path}`)?.hash ?? '');
        }
      },
      environment: (url) => ({
        DEPLOY_TO: 'cloudflare-workers',
        CLOUDFLARE_API_TOKEN: TOKEN,
        CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
        CLOUDFLARE_WORKER: WORKER,
        CLOUDFLARE_API_URL: url,
      }),
    }),
    {
      worker,
      nullSessions: 0,
      singleUploads: undefined as number | undefined,
      uploadsUnderWay: [] as number[],
      beforeUpload: undefined as (() => Promise<unknown>) | undefined,
      bucketBytes: BUCKET,
      gatewayErrors: 0,
      onRequest: undefined as ((line: string) => void) | undefined,
      versions: () =>
        [...(versions ?? [])].reverse().map((version) => ({
          id: version.id,
          message: version.message,
          isLive: version === live(),
        })),
      putForeign: (message = '') => {
        const text = Buffer.from('somebody else');
        const foreign: Version = {
          id: randomUUID(),
          number: (versions?.length ?? 0) + 1,
          created: now(),
          message,
          config: {},
          assets: new Map([
            ['/index.html', { hash: '0'.repeat(32), bytes: text, type: 'text/html' }],
          ]),
        };
        versions = [...(versions ?? []), foreign];
        deployVersion(foreign);
      },
    },
  );
  host.limit = LIMIT;
  return host;
}
