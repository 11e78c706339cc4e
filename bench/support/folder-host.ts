import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { getMimeType } from 'hono/utils/mime';
import { type Answer, type HostServer, startHost } from '../../test/support/hosts/host.ts';

/** A web server that shows what is deployed to a folder. Nothing goes over the network to it. */
export function startFolderHost(into: string): Promise<HostServer> {
  const root = path.join(into, 'current');
  const visit = (asked: string): Answer => {
    const name = decodeURIComponent(asked);
    const file = path.join(root, name.endsWith('/') ? `${name}index.html` : name);
    if (!existsSync(file) || !statSync(file).isFile()) return { status: 404 };
    const headers = { 'content-type': getMimeType(file) ?? 'application/octet-stream' };
    return { status: 200, headers, body: readFileSync(file) };
  };
  return startHost({
    api: () => ({ status: 404 }),
    limited: () => ({ status: 429 }),
    visit: ({ path: asked }) => visit(asked),
    served: () => {
      if (!existsSync(root)) return new Map();
      const entries = readdirSync(root, { recursive: true, withFileTypes: true });
      return new Map(
        entries
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) => path.join(parentPath, name))
          .map((file) => [path.relative(root, file), readFileSync(file)]),
      );
    },
    forget: () => {},
    environment: () => ({ DEPLOY_FOLDER: into }),
  });
}
