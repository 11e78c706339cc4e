import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { getMimeType } from 'hono/utils/mime';
import { listFiles } from '../../../src/change-set/listing.ts';
import { temporaryFolder } from '../build.ts';
import { findFile, type HostServer, startHost } from './host.ts';

/**
 * A folder of a web server as a host.
 *
 * @param into target folder; a temporary one by default.
 */
export async function startFolderHost({ into }: { into?: string } = {}): Promise<HostServer> {
  const folder = into === undefined ? await temporaryFolder() : undefined;
  const place = into ?? path.join(folder?.path ?? '', 'www');
  const current = path.join(place, 'current');
  const fileOf = (name: string) => path.join(current, name);
  const host = await startHost({
    // It needs no network.
    api: () => ({ status: 404 }),
    limited: () => ({ status: 429 }),
    visit: ({ path: asked }) => {
      const found = findFile(
        asked,
        (name) => statSync(fileOf(name), { throwIfNoEntry: false })?.isFile() === true,
      );
      if (!found || 'location' in found) return { status: 404 };
      const headers = { 'content-type': getMimeType(found.file) ?? 'application/octet-stream' };
      return { status: 200, headers, body: readFileSync(fileOf(found.file)) };
    },
    served: () => {
      const names = existsSync(current) ? listFiles(`${current}/`).files : [];
      return new Map(names.map((name) => [name, readFileSync(fileOf(name))]));
    },
    // This host loses no file, but a user may have deleted or changed one.
    forget: (paths) => {
      for (const [index, name] of paths.entries()) {
        const altered = `${readFileSync(fileOf(name))} and more`;
        rmSync(fileOf(name), { force: true });
        if (index % 2 === 0) writeFileSync(fileOf(name), altered);
      }
    },
    environment: () => ({ DEPLOY_FOLDER: place }),
  });
  return Object.assign(host, {
    [Symbol.asyncDispose]: async () => {
      await host.close();
      await folder?.[Symbol.asyncDispose]();
    },
  });
}
