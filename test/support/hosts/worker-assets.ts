import { headersFor } from '../../../src/lib/static-server/headers-file.ts';
import type { Answer, Asked } from './host.ts';

/**
 * Responses of a Worker with only static assets. Observed in the source of Cloudflare's asset Worker
 * (cloudflare/workers-sdk, packages/workers-shared). The rules name its files.
 */

export interface AssetConfig {
  html_handling?: string;
  not_found_handling?: string;
  _headers?: string;
  _redirects?: string;
}

interface Asset {
  hash: string;
  bytes: Buffer;
  type: string | undefined;
}

type Intent = { path: string; status: number } | { redirect: string };

/** `auto-trailing-slash` and `404-page` (asset-worker/src/handler.ts). */
function intentOf(
  assets: ReadonlyMap<string, Asset>,
  config: AssetConfig,
  path: string,
): Intent | undefined {
  const has = (name: string) => assets.has(name);
  // Deploys ask for both.
  if (config.html_handling !== 'auto-trailing-slash') return undefined;
  if (config.not_found_handling !== '404-page') return undefined;
  if (path.endsWith('/index.html') && has(path)) {
    return { redirect: path.slice(0, -'index.html'.length) };
  }
  if (path.endsWith('/index') && !has(path) && has(`${path}.html`)) {
    return { redirect: path.slice(0, -'index'.length) };
  }
  if (path.endsWith('/')) {
    if (has(`${path}index.html`)) return { path: `${path}index.html`, status: 200 };
    const file = `${path.slice(0, -1)}.html`;
    if (has(file)) return { redirect: path.slice(0, -1) };
  }
  // `/foo.html` is served at `/foo`, unless another file has that name.
  const short = path.slice(0, -'.html'.length);
  if (path.endsWith('.html') && has(path) && !has(short)) return { redirect: short };
  if (has(path)) return { path, status: 200 };
  if (has(`${path}.html`)) return { path: `${path}.html`, status: 200 };
  if (has(`${path}/index.html`)) return { redirect: `${path}/` };
  for (let folder = path; folder !== ''; ) {
    folder = folder.slice(0, folder.lastIndexOf('/'));
    if (has(`${folder}/404.html`)) return { path: `${folder}/404.html`, status: 404 };
  }
  return undefined;
}

/** Paths are decoded, resolved and encoded again (asset-worker/src/handler.ts, decodePath). */
const decoded = (path: string): string =>
  path
    .split('/')
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    })
    .join('/')
    .replace(/\/+/g, '/');
const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

export function assetAnswer(
  assets: ReadonlyMap<string, Asset>,
  config: AssetConfig,
  { path }: Asked,
): Answer {
  const name = decoded(path);
  const intent = intentOf(assets, config, name);
  if (!intent) return { status: 404 };
  const target = 'redirect' in intent ? intent.redirect : name;
  if ('redirect' in intent || encoded(name) !== path) {
    return { status: 307, headers: { location: encoded(target) } };
  }
  const asset = assets.get(intent.path) as Asset;
  return {
    status: intent.status,
    headers: {
      // "ETag" is the hash of the manifest (asset-worker/src/utils/headers.ts).
      etag: `"${asset.hash}"`,
      ...(asset.type === undefined ? {} : { 'content-type': asset.type }),
      'cache-control': 'public, max-age=0, must-revalidate',
      // The user's rules override these. Values of one name are joined (attachCustomHeaders).
      ...Object.fromEntries(headersFor(config._headers ?? '', path)),
    },
    body: asset.bytes,
  };
}
