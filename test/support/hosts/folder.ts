import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { listFiles } from '../../../src/change-set/listing.ts';
import { mimeTypeOf } from '../../../src/lib/mime.ts';
import { temporaryFolder } from '../build.ts';
import type { HostServer } from './host.ts';
import type { HostKind } from './kinds.ts';

/** A folder that a web server shows, as if it were a host. */
export async function startFolderHost(): Promise<HostServer> {
  const folder = await temporaryFolder();
  const current = path.join(folder.path, 'www', 'current');
  const read = (name: string) => readFileSync(path.join(current, name));
  const names = () => (existsSync(current) ? listFiles(`${current}/`).files : []);
  const server = createServer((request, response) => {
    const name = (request.url ?? '').replace(/\?.*/, '').slice(1);
    const file = name === '' || name.endsWith('/') ? `${name}index.html` : name;
    if (!names().includes(file)) return response.writeHead(404).end();
    const takes = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    const headers = { 'content-type': mimeTypeOf(file) ?? 'application/octet-stream' };
    if (!takes) return response.writeHead(200, headers).end(read(file));
    response.writeHead(200, { ...headers, 'content-encoding': 'gzip' }).end(gzipSync(read(file)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    await folder[Symbol.asyncDispose]();
  };
  return {
    url: '',
    siteUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    served: () => new Map(names().map((name) => [name, read(name)])),
    requests: [],
    visits: [],
    bytes: { up: 0, wire: 0, down: 0 },
    delay: 0,
    limit: undefined,
    // Nothing forgets a file here; a person may have removed one, or written to it.
    forget: (paths) => {
      for (const [index, name] of (paths ?? []).entries()) {
        const altered = `${read(name)} and more`;
        rmSync(path.join(current, name), { force: true });
        if (index % 2 === 0) writeFileSync(path.join(current, name), altered);
      }
    },
    fail: () => {},
    cut: () => {},
    idle: async () => {},
    environment: () => ({ DEPLOY_FOLDER: path.join(folder.path, 'www') }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

export const FOLDER_KIND: HostKind = { id: 'folder', start: startFolderHost };
