import { createHash } from 'node:crypto';
import { getMimeType } from 'hono/utils/mime';
import { headersFor } from '../../../src/lib/static-server/headers-file.ts';
import { type Answer, type Asked, findFile, startHost } from './host.ts';

/** Settings that its owner changes. */
interface NetlifySite {
  /** Repository that Netlify builds itself. */
  repository?: string;
  stopsBuilds?: boolean;
  prettyUrls?: boolean;
  /** Its owner has stopped auto publishing: new deploys become ready but are not published. */
  isLocked?: boolean;
}

export type NetlifyHost = Awaited<ReturnType<typeof startNetlifyHost>>;

interface Deploy {
  id: string;
  title: string;
  draft: boolean;
  state: 'new' | 'preparing' | 'prepared' | 'uploading' | 'uploaded' | 'ready' | 'error';
  error: string | undefined;
  /** SHA-1 in hex by path. */
  files: Map<string, string>;
  required: Set<string>;
  /** Content by SHA-1 that it will serve. */
  contents: Map<string, Buffer>;
  created: number;
  /** Time of its next step. */
  next: number;
}

const SITE = 'b0a1c2d3-site';
const TOKEN = 'nfp_T0kenOfTheHostThatNobodyMaySee';

// "3 deploys a minute, 100 a day" (docs.netlify.com, Get started with the API, Rate limiting).
const DEPLOYS = [
  { requests: 3, seconds: 60 },
  { requests: 100, seconds: 86_400 },
];
// "Five files at the same time" (community.netlify.com/t/24324 and the CLI's DEFAULT_CONCURRENT_UPLOAD).
const AT_ONCE = 5;
// "500 requests a minute" (docs.netlify.com, as above).
const LIMIT = { requests: 500, seconds: 60 };

// `{code, message}` (swagger.yml of netlify/open-api, `error`).
const refuse = (status: number, message: string, headers = {}): Answer => ({
  status,
  headers,
  body: { code: status, message },
});

/** A line of `_redirects` has an origin and a target (docs.netlify.com, Redirect options). */
const isBadRedirects = (text: string): boolean =>
  text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .some((line) => line !== '' && line.split(/\s+/).length < 2);

/**
 * Netlify on loopback, limited to deploys by file digests and visitors. Each rule names its source. A rule
 * without a source is the strictest that a client may meet.
 */
export async function startNetlifyHost({
  now = Date.now,
  preparing = 100,
  processing = 100,
}: {
  now?: () => number;
  /** Milliseconds for comparing a list of files, and for processing a complete deploy. */
  preparing?: number;
  processing?: number;
} = {}) {
  const site: NetlifySite = {};
  /** Available contents by SHA-1. */
  const memory = new Map<string, Buffer>();
  /** Oldest first. */
  const deploys: Deploy[] = [];
  let live: Deploy | undefined;

  /** Applies past events: deploys progress without requests. */
  function settle(): void {
    for (const deploy of deploys) {
      // Asynchronous deploys are compared first, and list missing files from `prepared` on (waitForDiff in
      // the CLI's src/utils/deploy/util.ts).
      if (deploy.state === 'preparing' && now() >= deploy.next) compare(deploy);
      if (deploy.state === 'uploaded' && now() >= deploy.next) finish(deploy);
    }
  }

  function compare(deploy: Deploy): void {
    for (const sha of new Set(deploy.files.values())) {
      const known = memory.get(sha);
      if (known) deploy.contents.set(sha, known);
      // Each content is requested once (open-api#425).
      else deploy.required.add(sha);
    }
    deploy.state = 'prepared';
    checkComplete(deploy, deploy.next);
  }

  /** It is processed as soon as the last file arrives, without another request (docs, File digest method). */
  function checkComplete(deploy: Deploy, since: number): void {
    if (deploy.contents.size < new Set(deploy.files.values()).size) return;
    deploy.state = 'uploaded';
    deploy.next = since + processing;
  }

  function finish(deploy: Deploy): void {
    const redirects = deploy.contents.get(deploy.files.get('_redirects') ?? '');
    if (redirects && isBadRedirects(String(redirects))) {
      deploy.state = 'error';
      deploy.error = 'Failed during stage "processing": _redirects has a line that is no rule';
      return;
    }
    deploy.state = 'ready';
    // `draft: true` is not published (docs, as above). No deploy is published while auto publishing is
    // stopped (docs.netlify.com, Manage deploys, Locked deploys).
    if (!deploy.draft && !site.isLocked) live = deploy;
  }

  /** Fields of `deploy` in swagger.yml that the client reads. */
  const deployJson = (deploy: Deploy) => ({
    id: deploy.id,
    state: deploy.state,
    title: deploy.title,
    locked: deploy === live && site.isLocked === true,
    error_message: deploy.error,
    // Before the comparison, the list is unknown. It does not change during uploads.
    ...(['new', 'preparing'].includes(deploy.state) ? {} : { required: [...deploy.required] }),
  });

  function create({ query, body }: Asked): Answer {
    for (const { requests, seconds } of DEPLOYS) {
      const recent = deploys.filter(({ created }) => created > now() - seconds * 1000);
      const oldest = recent.at(-requests);
      if (oldest) return limited(requests, oldest.created / 1000 + seconds);
    }
    const given = JSON.parse(String(body));
    // With and without a leading slash: the documentation uses one, both clients use none.
    const entries = Object.entries<string>(given.files ?? {}).map(
      ([name, sha]) => [name.replace(/^\//, ''), sha] as const,
    );
    // `#` and `?` are forbidden (normalizePath in the CLI's util.ts). The digest is SHA-1 in hex.
    const isWrong = entries.some(([name, sha]) => /[#?]/.test(name) || !/^[0-9a-f]{40}$/.test(sha));
    if (isWrong) return refuse(422, 'Invalid files');
    const deploy: Deploy = {
      id: createHash('sha256').update(`deploy ${deploys.length}`).digest('hex').slice(0, 24),
      title: query.get('title') ?? '',
      draft: given.draft === true,
      // A deploy without files is unchanged (js-client#161).
      state: entries.length === 0 ? 'new' : 'preparing',
      error: undefined,
      files: new Map(entries),
      required: new Set(),
      contents: new Map(),
      created: now(),
      next: now() + (given.async === true ? preparing : 0),
    };
    deploys.push(deploy);
    settle();
    return { status: 200, body: deployJson(deploy) };
  }

  function upload(deploy: Deploy, name: string, { headers, body, uploads }: Asked): Answer {
    if (uploads > AT_ONCE) return refuse(429, 'Too many files at once');
    if (headers['content-type'] !== 'application/octet-stream') return refuse(415, 'Wrong type');
    const sha = deploy.files.get(name);
    if (sha === undefined || !['prepared', 'uploading'].includes(deploy.state)) {
      return refuse(404, 'Not Found');
    }
    // "Uploaded file did not match deploy" (cli#216).
    if (createHash('sha1').update(body).digest('hex') !== sha) {
      return refuse(422, 'Uploaded file did not match deploy');
    }
    const copy = Buffer.from(body);
    // Uploaded files are kept even if the deploy fails, so the next one requests fewer.
    memory.set(sha, copy);
    host.bytes.up += deploy.contents.has(sha) ? 0 : copy.length;
    deploy.contents.set(sha, copy);
    deploy.state = 'uploading';
    checkComplete(deploy, now());
    return { status: 200, body: { id: `/${name}`, path: `/${name}`, sha, size: copy.length } };
  }

  /** X-RateLimit-Reset is a time in seconds since 1970. No Retry-After is documented (docs, Rate limiting). */
  function limited(requests: number, reset: number): Answer {
    return refuse(429, 'Too Many Requests', {
      'x-ratelimit-limit': String(requests),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil(reset)),
    });
  }

  function api(request: Asked): Answer {
    settle();
    const { method, path, headers } = request;
    if (headers.authorization !== `Bearer ${TOKEN}`) return refuse(401, 'Access Denied');
    const [kind, name, part, id, ...rest] = path.slice(1).split('/').map(decodeURIComponent);
    if (kind === 'deploys') {
      const deploy = deploys.find((one) => one.id === name);
      if (!deploy) return refuse(404, 'Not Found');
      if (method === 'PUT' && part === 'files') {
        return upload(deploy, [id, ...rest].join('/'), request);
      }
      if (method === 'POST' && part === 'cancel') {
        if (deploy.state === 'ready') return refuse(422, 'Deploy is not cancelable');
        [deploy.state, deploy.error] = ['error', 'Canceled'];
        return { status: 201, body: deployJson(deploy) };
      }
      return refuse(404, 'Not Found');
    }
    if (kind !== 'sites' || name !== SITE) return refuse(404, 'Not Found');
    if (part === undefined && method === 'GET') {
      return {
        status: 200,
        body: {
          id: SITE,
          build_settings: { repo_url: site.repository, stop_builds: site.stopsBuilds },
          processing_settings: { html: { pretty_urls: site.prettyUrls === true } },
          published_deploy: live ? deployJson(live) : null,
        },
      };
    }
    if (part !== 'deploys') return refuse(404, 'Not Found');
    if (id === undefined) return method === 'POST' ? create(request) : list(request);
    const deploy = deploys.find((one) => one.id === id);
    if (!deploy) return refuse(404, 'Not Found');
    if (method === 'GET' && rest.length === 0) return { status: 200, body: deployJson(deploy) };
    // restoreSiteDeploy publishes an earlier deploy (swagger.yml and docs, Manage deploys, Rollbacks).
    if (method === 'POST' && rest[0] === 'restore') {
      if (deploy.state !== 'ready') return refuse(422, 'Deploy is not ready');
      live = deploy;
      return { status: 201, body: deployJson(deploy) };
    }
    return refuse(404, 'Not Found');
  }

  /** Newest first, at most 100 per page (docs, Pagination). */
  function list({ query }: Asked): Answer {
    const size = Math.min(Number(query.get('per_page') ?? 100), 100);
    const from = (Number(query.get('page') ?? 1) - 1) * size;
    const page = [...deploys].reverse().slice(from, from + size);
    return { status: 200, body: page.map(deployJson) };
  }

  const fileOf = (path: string): Buffer | undefined => {
    const sha = /^_(?:headers|redirects)$/.test(path) ? undefined : live?.files.get(path);
    return sha === undefined ? undefined : live?.contents.get(sha);
  };

  function visit({ path: address }: Asked): Answer {
    settle();
    const place = findFile(address, (name) => fileOf(name) !== undefined);
    if (place && 'location' in place) return { status: 301, headers: place };
    // URLs without extension (docs.netlify.com, Redirect options, Trailing slash).
    const page = `${decodeURIComponent(address).slice(1)}.html`;
    const name = place?.file ?? (fileOf(page) ? page : undefined);
    const found = fileOf(name ?? '404.html') ?? Buffer.from('Not Found');
    const type = getMimeType(name ?? '404.html') ?? 'application/octet-stream';
    const rules = live?.contents.get(live.files.get('_headers') ?? '');
    return {
      status: name === undefined ? 404 : 200,
      headers: {
        'content-type': type,
        'cache-control': 'public,max-age=0,must-revalidate',
        etag: `"${createHash('md5').update(found).digest('hex')}-ssl"`,
        ...Object.fromEntries(headersFor(String(rules ?? ''), address)),
      },
      // Pretty URLs rewrite links in pages (docs.netlify.com, Post processing).
      body:
        site.prettyUrls && type.startsWith('text/html')
          ? String(found).replaceAll('/index.html"', '/"').replace('<html', '<html data-pretty')
          : found,
    };
  }

  const host = await startHost({
    base: '/api/v1',
    now,
    api,
    visit,
    isUpload: (method, path) => method === 'PUT' && path.includes('/files/'),
    limited: (limit, seconds) => limited(limit.requests, now() / 1000 + seconds),
    served: () => {
      settle();
      const names = [...(live?.files.keys() ?? [])].filter(fileOf);
      return new Map(names.map((name) => [name, fileOf(name) as Buffer]));
    },
    forget: (paths) => {
      for (const { files } of deploys) {
        for (const path of paths) memory.delete(files.get(path) ?? '');
      }
    },
    environment: (url) => ({
      DEPLOY_TO: 'netlify',
      NETLIFY_AUTH_TOKEN: TOKEN,
      NETLIFY_SITE_ID: SITE,
      NETLIFY_API_URL: url,
    }),
  });
  host.limit = LIMIT;
  return Object.assign(host, {
    site,
    /** Newest first. */
    deploys: () => {
      settle();
      return [...deploys].reverse().map((deploy) => ({
        id: deploy.id,
        state: deploy.state,
        title: deploy.title,
        isLive: deploy === live,
      }));
    },
  });
}
