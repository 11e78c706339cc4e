import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { shellText } from './checkout.ts';
import { serve } from './server.ts';

/** Registry for all other packages: the one of this machine's npm. */
const UPSTREAM = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' })
  .trim()
  .replace(/\/?$/, '/');

const PUBLISHED = '2026-01-01T00:00:00.000Z';

/**
 * A package registry on loopback with the published packages. It redirects package managers to the usual
 * registry for all others.
 */
export async function startRegistry(work: string) {
  const documents = new Map<string, { latest: string; versions: Record<string, unknown> }>();
  const tarballs = new Map<string, Buffer>();
  const server = await serve((request, response) => {
    const name = decodeURIComponent((request.url ?? '/').slice(1).split('?')[0] ?? '');
    const tarball = tarballs.get(name);
    const document = documents.get(name);
    if (tarball) {
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(tarball);
    } else if (document) {
      const { latest, versions } = document;
      // Package managers may refuse new packages.
      const time = Object.fromEntries(Object.keys(versions).map((version) => [version, PUBLISHED]));
      const text = JSON.stringify({ name, 'dist-tags': { latest }, versions, time });
      response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    } else {
      const location = new URL((request.url ?? '/').slice(1), UPSTREAM).href;
      response.writeHead(307, { location }).end();
    }
  });
  const url = `${server.url}/`;
  return {
    url,
    /** Environment variables that make package managers use it. */
    env: {
      npm_config_registry: url,
      pnpm_config_registry: url,
      YARN_NPM_REGISTRY_SERVER: url,
      YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
    },
    /** Publishes the package in a folder. */
    publish: async (folder: string) => {
      const line = `npm pack --silent --pack-destination "${work}" "${folder}"`;
      const file = await shellText(line, { cwd: work });
      const bytes = await readFile(path.join(work, file));
      const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
      const { name, version } = manifest;
      const former = documents.get(name)?.versions ?? {};
      const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
      const shasum = createHash('sha1').update(bytes).digest('hex');
      const dist = { tarball: `${url}-/${file}`, integrity, shasum };
      tarballs.set(`-/${file}`, bytes);
      documents.set(name, {
        latest: version,
        versions: { ...former, [version]: { ...manifest, _id: `${name}@${version}`, dist } },
      });
    },
    [Symbol.asyncDispose]: server.close,
  };
}
