import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { serve } from '../server.ts';

/** A host on loopback: the API for `npm run deploy`, and the served site. */
export interface HostServer extends AsyncDisposable {
  /** URL of the site, without a trailing slash. */
  siteUrl: string;
  /**
   * Bytes of every served file by path without a leading slash, except `_headers` and `_redirects`, which are
   * rules and not files.
   */
  served(): Map<string, Buffer>;
  /** `METHOD /path?query` of every API request processed by its rules, in order. */
  requests: string[];
  /** `METHOD /path` of every request to the site, in order. */
  visits: string[];
  /**
   * Bytes so far: `up` of published files, `wire` of all received API bodies, `down` of all response bodies
   * of the API and the site.
   */
  bytes: { up: number; wire: number; down: number };
  /** Number of parallel uploads at the start of each upload, including itself. */
  uploadsUnderWay: number[];
  /** Milliseconds before each response. */
  delay: number;
  /** Called with `METHOD /path` before the rules process an API request. */
  onRequest: ((request: string) => void | Promise<void>) | undefined;
  /** Accepted API requests in the given seconds. Beyond, it responds 429 with the time to wait. */
  limit: Limit | undefined;
  /** Loses the content of these paths, so it requests the content again. */
  forget(paths: readonly string[]): void;
  /** Responds with this status to the given number of API requests. */
  fail(status: number, times: number): void;
  /** From this API request on there is no response, like after a network failure of the client. */
  cut(at: Cut | undefined): void;
  /** Waits until the API has no connection and all interrupted requests are processed. */
  idle(): Promise<void>;
  /** Settings of a deploy: `DEPLOY_TO`, keys and the URLs of the host. */
  environment(): Record<string, string>;
  close(): Promise<void>;
}

interface Limit {
  requests: number;
  seconds: number;
}

interface Cut {
  /** Its number, counted from 1 from now on. */
  request: number;
  /** Whether the request is carried out although its response is lost. */
  carriesOut: boolean;
  /** Called at that request. */
  onCut: (method: string) => void;
}

export interface Asked {
  method: string;
  /** As received, without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Number of parallel API requests. 0 for the site. */
  uploads: number;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON. */
  body?: Buffer | string | object;
}

/** Differences between hosts. */
export interface HostRules {
  /** Processes API requests. */
  api(request: Asked): Answer | Promise<Answer>;
  /** Responds to visitors of the site. */
  visit(request: Asked): Answer;
  /** Whether text is sent as gzip to visitors who accept it. True by default. */
  compresses?: boolean;
  /** Whether a request to the API uploads files. */
  isUpload?(method: string, path: string): boolean;
  /** The response beyond the limit. @param seconds until the next request is accepted. */
  limited(limit: Limit, seconds: number): Answer;
  served(): Map<string, Buffer>;
  forget(paths: readonly string[]): void;
  environment(url: string): Record<string, string>;
  /** Path of the API, such as `/api/v1`. */
  base?: string;
  /** Milliseconds since 1970. The machine's clock by default. */
  now?: () => number;
}

const TEXT = /^(?:text\/|application\/(?:json|xml|javascript|manifest\+json)|image\/svg)/;

/** The file or the redirect of a static host for a path. Undefined if there is none. */
export function findFile(
  path: string,
  has: (file: string) => boolean,
): { file: string } | { location: string } | undefined {
  const asked = decodeURIComponent(path).slice(1);
  const file = asked === '' || asked.endsWith('/') ? `${asked}index.html` : asked;
  if (has(file)) return { file };
  return has(`${asked}/index.html`) ? { location: `${path}/` } : undefined;
}

const NO_BODY = Buffer.alloc(0);

const bodyOf = (body: Answer['body']): Buffer => {
  if (body === undefined) return NO_BODY;
  if (typeof body === 'string' || Buffer.isBuffer(body)) return Buffer.from(body);
  return Buffer.from(JSON.stringify(body));
};

/**
 * A host with the given rules: its API on one port, the site on another. The rules count the bytes of files,
 * because only they distinguish files from other requests.
 */
export async function startHost(rules: HostRules): Promise<HostServer> {
  const bytes = { up: 0, wire: 0, down: 0 };
  const { base = '', now = Date.now, compresses = true } = rules;
  const [requests, visits]: string[][] = [[], []] as [string[], string[]];
  let failing = { status: 0, times: 0 };
  let cutting: (Cut & { seen: number }) | undefined;
  /** Times of the last requests, oldest first. */
  const times: number[] = [];
  const host = {
    delay: 0,
    limit: undefined as Limit | undefined,
    onRequest: undefined as HostServer['onRequest'],
    uploadsUnderWay: [] as number[],
  };
  let uploads = 0;

  const overLimit = (): Answer | undefined => {
    if (!host.limit) return undefined;
    const { requests: allowed, seconds } = host.limit;
    while (times[0] !== undefined && times[0] <= now() - seconds * 1000) times.shift();
    const [oldest] = times;
    if (oldest !== undefined && times.length >= allowed) {
      return rules.limited(host.limit, Math.ceil((oldest + seconds * 1000 - now()) / 1000));
    }
    times.push(now());
    return undefined;
  };

  const api = await serve(async (request, response) => {
    const body = await buffer(request).catch(() => undefined);
    if (!body) return;
    const beyond = cutting ? ++cutting.seen - cutting.request : -1;
    if (beyond === 0) cutting?.onCut(request.method ?? '');
    if (beyond > 0 || (beyond === 0 && !cutting?.carriesOut)) return response.destroy();
    bytes.wire += body.length;
    const { pathname, search, searchParams: query } = new URL(request.url ?? '', 'http://host');
    const { method = '', headers } = request;
    const path = pathname.slice(base.length);
    const isUpload = rules.isUpload?.(method, path) === true;
    if (isUpload) host.uploadsUnderWay.push(++uploads);
    if (host.delay > 0) await wait(host.delay);
    const answer = async (): Promise<Answer> => {
      if (failing.times > 0) {
        failing.times--;
        // Netlify sends the end of its minute with every response (docs, Rate limiting).
        const reset = String(Math.ceil(now() / 1000 + 60));
        return { status: failing.status, headers: { 'x-ratelimit-reset': reset } };
      }
      const limited = overLimit();
      if (limited) return limited;
      if (!pathname.startsWith(`${base}/`)) return { status: 404 };
      requests.push(`${method} ${path}${search}`);
      await host.onRequest?.(`${method} ${decodeURIComponent(path)}`);
      return rules.api({ method, path, query, headers, body, uploads });
    };
    const answered = await answer();
    if (isUpload) uploads--;
    if (beyond === 0) return response.destroy();
    send(response, answered);
  });

  const site = await serve(async (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://host');
    const { method = '', headers } = request;
    visits.push(`${method} ${pathname}`);
    if (host.delay > 0) await wait(host.delay);
    const answer = rules.visit({ method, path: pathname, query, headers, body: NO_BODY, uploads });
    const type = answer.headers?.['content-type'] ?? '';
    const acceptsGzip = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
    const isEncoded = answer.headers?.['content-encoding'] !== undefined;
    if (!compresses || !acceptsGzip || !TEXT.test(type) || isEncoded) return send(response, answer);
    const more = { 'content-encoding': 'gzip', vary: 'accept-encoding' };
    const packed = gzipSync(bodyOf(answer.body));
    send(response, { ...answer, headers: { ...answer.headers, ...more }, body: packed });
  });

  function send(response: ServerResponse, { status, headers, body }: Answer) {
    const content = bodyOf(body);
    const isObject = typeof body === 'object' && !Buffer.isBuffer(body);
    const type = isObject ? { 'content-type': 'application/json' } : {};
    bytes.down += content.length;
    const length = { 'content-length': String(content.length) };
    const date = { date: new Date(now()).toUTCString() };
    response.writeHead(status, { ...date, ...type, ...length, ...headers }).end(content);
  }

  const url = `${api.url}${base}`;
  const connections = () =>
    new Promise<number>((resolve, reject) =>
      api.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  const idle = async () => {
    while ((await connections()) > 0) await wait(2);
  };
  const close = async () => void (await Promise.all([api.close(), site.close()]));
  return Object.assign(host, {
    siteUrl: site.url,
    served: () => rules.served(),
    requests,
    visits,
    bytes,
    forget: (paths: readonly string[]) => rules.forget(paths),
    fail: (status: number, count: number) => {
      failing = { status, times: count };
    },
    cut: (at: Cut | undefined) => {
      cutting = at && { ...at, seen: 0 };
    },
    idle,
    environment: () => rules.environment(url),
    close,
    [Symbol.asyncDispose]: close,
  });
}
