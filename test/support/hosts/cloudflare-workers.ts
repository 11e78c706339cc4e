import { randomUUID } from 'node:crypto';
import { headersFor } from '../../../src/lib/static-server/headers-file.ts';
import { type Content, refuse, result, startUploads } from './cloudflare-uploads.ts';
import { type Answer, type Asked, findFile, startHost } from './host.ts';

export type CloudflareWorkersHost = Awaited<ReturnType<typeof startCloudflareWorkersHost>>;

interface Version {
  id: string;
  message: string;
  config: Record<string, string>;
  /** By path with a leading slash. */
  assets: Map<string, Content & { hash: string }>;
}

const ACCOUNT = '023e105f4ecef8ad9ca31a8372d0c353';
const WORKER = 'our-cars';
const TOKEN = 'cf_T0kenOfTheHostThatNobodyMaySee';

// "50 MiB per bucket" (tool, helpers/assets.ts).
const BUCKET = 50 * 2 ** 20;
// 1,200 requests in five minutes, then 429 with Retry-After (developers.cloudflare.com/fundamentals/api/reference/limits/).
const LIMIT = { requests: 1200, seconds: 300 };
// Versions that can be rolled back to (developers.cloudflare.com/changelog, 2025-09-11).
const ROLLBACKS = 100;
// "Displays the 10 most recent deployments" (tool).
const DEPLOYMENTS = 10;
// "Truncated to 100 bytes" (API, annotations).
const MESSAGE = 100;

// Code 10007 (tool, helpers/worker-not-found-error.ts). Its tests use status 404 for this response.
const noWorker = () => refuse(404, 10007, 'This Worker does not exist on your account.');

/**
 * Response of a Worker with only static assets, observed in the source of Cloudflare's asset Worker
 * (cloudflare/workers-sdk, packages/workers-shared, asset-worker/src).
 */
function assetAnswer({ assets, config }: Version, path: string): Answer {
  // Deploys ask for both (handler.ts).
  if (config.html_handling !== 'auto-trailing-slash') return { status: 404 };
  if (config.not_found_handling !== '404-page') return { status: 404 };
  const has = (name: string) => assets.has(`/${name}`);
  const found = findFile(path, has);
  if (found && 'location' in found) return { status: 307, headers: found };
  // `/foo.html` is served at `/foo`, unless another file has that name.
  const short = path.replace(/\.html$/, '');
  if (found && short !== path && !has(short.slice(1))) {
    return { status: 307, headers: { location: short } };
  }
  const page = `${decodeURIComponent(path).slice(1)}.html`;
  const name = found?.file ?? (has(page) ? page : undefined);
  const asset = assets.get(`/${name ?? '404.html'}`);
  if (!asset) return { status: 404 };
  return {
    status: name === undefined ? 404 : 200,
    headers: {
      // "ETag" is the hash of the manifest (utils/headers.ts).
      etag: `"${asset.hash}"`,
      ...(asset.type === undefined ? {} : { 'content-type': asset.type }),
      'cache-control': 'public, max-age=0, must-revalidate',
      // The user's rules override these. Values of one name are joined (attachCustomHeaders).
      ...Object.fromEntries(headersFor(config._headers ?? '', path)),
    },
    body: asset.bytes,
  };
}

/**
 * Cloudflare Workers with static assets on loopback, limited to direct uploads and visitors. Each rule names
 * its source:
 *
 * - docs: developers.cloudflare.com/workers/static-assets/direct-upload/
 * - API: developers.cloudflare.com/api/resources/workers/ (and Cloudflare's OpenAPI description)
 * - tool: observed in the official tool's source, cloudflare/workers-sdk, packages/deploy-helpers
 *
 * A rule without a source is marked, and is the strictest that a client may meet.
 */
export async function startCloudflareWorkersHost({
  now = Date.now,
  hasDomain = false,
}: {
  now?: () => number;
  hasDomain?: boolean;
} = {}) {
  /** Settings that its owner sees and can change. */
  const worker = {
    /** Whether it has a URL on workers.dev, and its old versions have one. */
    subdomain: { enabled: false, previews: false },
    accountHasSubdomain: true,
    /** Whether its owner has connected a domain, which then serves it. */
    hasDomain,
  };
  /** Oldest first. Undefined before the Worker exists. */
  let versions: Version[] | undefined;
  /** Deployed versions, oldest first. */
  const deployments: Version[] = [];

  const live = (): Version | undefined => deployments.at(-1);

  const { memory, openSession, sessionOf, upload } = startUploads({ now, host: () => host });

  /** A version from the form part `metadata`, the only part of a Worker without a script (tool). */
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

  /** Fields of a version and of a deployment that the client reads (API and tool, helpers/versions-types.ts). */
  const versionJson = ({ id, message }: Version) => ({
    id,
    annotations: { 'workers/message': message },
  });
  const deploymentJson = ({ id }: Version) => ({
    strategy: 'percentage',
    versions: [{ version_id: id, percentage: 100 }],
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
    deployments.push(version);
    return result(deploymentJson(version));
  }

  async function script(rest: string[], request: Asked): Promise<Answer> {
    const { method, query } = request;
    const [part, id] = rest;
    const what = `${method} ${part ?? ''}`;
    if (what === 'POST assets-upload-session') return openSession(request);
    if (what === 'PUT ') {
      const version = await makeVersion(request);
      if ('status' in version) return version;
      // The version runs immediately (API, scripts, update).
      deployments.push(version);
      return result({ id: WORKER, deployment_id: version.id });
    }
    if (!versions) return noWorker();
    if (what === 'GET deployments') {
      // "The first deployment in the list is the latest deployment actively serving traffic" (API).
      const latest = [...deployments].reverse().slice(0, DEPLOYMENTS);
      return result({ deployments: latest.map(deploymentJson) });
    }
    if (what === 'POST deployments') return createDeployment(request);
    if (what === 'POST versions') {
      const version = await makeVersion(request);
      return 'status' in version ? version : result(versionJson(version));
    }
    if (what === 'GET versions' && id === undefined) {
      // "deployable: only versions that can be used in a deployment; ignores pagination" (API).
      const listed = query.get('deployable') === 'true' ? deployable() : deployable().slice(0, 10);
      return result({ items: listed.map(versionJson) });
    }
    if (what === 'GET versions') {
      const version = versions.find((one) => one.id === id);
      return version ? result(versionJson(version)) : refuse(404, 10_021, 'No such version.');
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
    const [area, account, product, kind, name, ...rest] = path.slice(1).split('/');
    if (area !== 'accounts' || product !== 'workers') return refuse(404, 7000, 'No route');
    if (kind === 'assets' && name === 'upload' && method === 'POST') {
      return account === ACCOUNT ? upload(request) : refuse(401, 10_001, 'Unauthorized');
    }
    // 9109 for an invalid token, 10000 without permission (issues of workers-sdk, such as #2863).
    if (headers.authorization !== `Bearer ${TOKEN}`) {
      return refuse(403, 9109, 'Invalid access token');
    }
    if (account !== ACCOUNT) return refuse(403, 10_000, 'Authentication error');
    // The workers.dev subdomain of the account (tool, triggers/subdomain.ts).
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
        return assetAnswer(version, request.path);
      },
      isUpload: (method, path) => method === 'POST' && path.includes('/assets/upload'),
      limited: ({ requests, seconds }, after) =>
        // Headers since 2025-09-03 (developers.cloudflare.com/changelog). The code is observed.
        refuse(429, 971, 'Please wait and consider throttling your request speed', {
          'retry-after': String(after),
          ratelimit: `"default";r=0;t=${after}`,
          'ratelimit-policy': `"default";q=${requests};w=${seconds}`,
        }),
      served: () =>
        new Map([...(live()?.assets ?? [])].map(([path, { bytes }]) => [path.slice(1), bytes])),
      forget: (paths) => {
        // "Hashes of recently uploaded files may not be returned" (docs). The duration is not documented.
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
      beforeUpload: undefined as (() => Promise<unknown>) | undefined,
      bucketBytes: BUCKET,
      /** Versions of the Worker, newest first. */
      versions: () =>
        [...(versions ?? [])].reverse().map((version) => ({
          id: version.id,
          message: version.message,
          isLive: version === live(),
        })),
      /** Starts with an unrelated Worker: a script uploaded manually. */
      putForeign: (message = '') => {
        const text = Buffer.from('somebody else');
        const foreign: Version = {
          id: randomUUID(),
          message,
          config: {},
          assets: new Map([
            ['/index.html', { hash: '0'.repeat(32), bytes: text, type: 'text/html' }],
          ]),
        };
        versions = [...(versions ?? []), foreign];
        deployments.push(foreign);
      },
    },
  );
  host.limit = LIMIT;
  return host;
}
