import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { UserConfig } from '../../src/config/schema.ts';
import type { HostId } from '../../src/deploy/host-api/types.ts';
import { fileHash } from '../../src/record/files.ts';
import { startFolderHost } from '../../test/support/hosts/folder.ts';
import type { HostServer } from '../../test/support/hosts/host.ts';
import { clientOf, REMOTE_KINDS } from '../../test/support/hosts/kinds.ts';
import { deployFolder } from '../../test/support/hosts/world.ts';
import { runner } from '../media/bench-context.ts';
import { type Cost, measure, measureScript } from './measure.ts';
import type { NightServer, Sent } from './night-server.ts';
import type { Workspace } from './workspace.ts';

type Form = 'thin' | 'whole';

/** Hosts to deploy to, by the value of `--to`. */
export const DEPLOYED_TO: Readonly<
  Record<string, (now: () => number, folder: string) => Promise<HostServer>>
> = {
  ...Object.fromEntries(REMOTE_KINDS.map(({ id, start }) => [id, (now) => start({ now })])),
  folder: (_, into) => startFolderHost({ into }),
};

/** Cost of a night on a machine without cache. */
export interface DeployedNight {
  build: Cost;
  deploy: Cost;
  /** Bytes that the media service sent. */
  service: Sent;
  /** Bytes that came from the host, its site and its API. */
  down: number;
  /** Bytes of uploaded files, and of all sent bodies. */
  up: number;
  wire: number;
  /** Bytes of files that are new or changed. */
  changed: number;
  /** Requests to the host: to its API, and to the site. */
  requests: { api: number; site: number };
  /** Bytes and files written to this disk. */
  made: { files: number; bytes: number };
}

export interface DeployedNightsOptions {
  service: NightServer;
  workspace: Workspace;
  host: HostServer;
  /** Value of `--to`. */
  to: HostId;
  vehicles: number;
  forms: readonly Form[];
  /** Shares of the vehicles that change, in percent. */
  shares: readonly number[];
  /** When the first night is, milliseconds since 1970. */
  now: number;
  /** Advances the clock of the host by the given milliseconds. */
  pass: (ms: number) => void;
  /** Its time, milliseconds since 1970. */
  time: () => number;
  /** A cache with the thumbnails of the first night, so that it is not built twice. */
  cacheDir: string;
}

const SCRIPT = fileURLToPath(new URL('../../scripts/run.ts', import.meta.url));
/** Milliseconds that the host needs per request. */
const DELAY = 30;
const DAY = 86_400_000;

/** Number of files in a folder, and their bytes. */
async function sizeOf(folder: string): Promise<DeployedNight['made']> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  let bytes = 0;
  for (const { parentPath, name } of files) {
    bytes += (await lstat(path.join(parentPath, name))).size;
  }
  return { files: files.length, bytes };
}

const hashesOf = (served: ReadonlyMap<string, Buffer>): Map<string, string> =>
  new Map(Array.from(served, ([file, bytes]) => [file, fileHash(bytes)]));

/** A first night, and then one for each share and form, each on an empty disk. */
export async function deployedNights(
  options: DeployedNightsOptions,
): Promise<{ share: number; form: Form; night: DeployedNight }[]> {
  const { service, workspace, host, to, vehicles, shares, forms, now, pass, time, cacheDir } =
    options;
  const config: UserConfig = {
    service: { baseUrl: service.baseUrl },
    site: { title: 'Bench', url: host.siteUrl },
    media: { hosts: [] },
    dealers: [{ id: 1, name: 'Dealer', slug: 'dealer' }],
  };
  let day = 0;

  async function night(form: Form, cache: string): Promise<DeployedNight> {
    pass(DAY);
    const folder = workspace.fresh(`${to}-${form}`);
    await mkdir(folder);
    // A deploy of a full site reads its URL from this file.
    await writeFile(
      path.join(folder, 'site.config.ts'),
      `export default ${JSON.stringify(config)};\n`,
    );
    const output = path.join(folder, form === 'thin' ? '_changes' : '_site');
    const before = hashesOf(host.served());
    const start = { ...host.bytes, api: host.requests.length, site: host.visits.length };
    const build = await measureScript(runner('build'), {
      config,
      output,
      cacheDir: cache,
      form,
      fromPublished: true,
      now: now + day++ * DAY,
    });
    const deploy = await measure(
      [process.execPath, SCRIPT, 'deploy', '--to', to, '--folder', output, '--json'],
      folder,
      { ...host.environment(), MEDIA_API_KEY: '0123456789abcdef0123456789abcdef' },
    );
    const made = await sizeOf(output);
    const served = host.served();
    const changed = [...hashesOf(served)].filter(([file, hash]) => before.get(file) !== hash);
    await rm(folder, { recursive: true });
    return {
      build,
      deploy,
      service: await service.sent(),
      down: host.bytes.down - start.down,
      up: host.bytes.up - start.up,
      wire: host.bytes.wire - start.wire,
      changed: changed.reduce((sum, [file]) => sum + (served.get(file)?.length ?? 0), 0),
      requests: { api: host.requests.length - start.api, site: host.visits.length - start.site },
      made,
    };
  }

  /** In this process, whose clock does not wait: at Netlify's pace, 20,000 files would take 45 minutes. */
  async function firstNight(): Promise<void> {
    const output = workspace.fresh(`${to}-first`);
    await measureScript(runner('build'), { config, output, cacheDir, now: now + day++ * DAY });
    const clock = { now: time, sleep: async (ms: number) => pass(ms) };
    await deployFolder(output, {
      ...(await clientOf(to, host.environment())),
      clock,
      verify: false,
    });
    await rm(output, { recursive: true });
  }

  await service.prepare({ changed: 0 });
  await firstNight();
  host.delay = DELAY;
  const nights = [];
  for (const [index, share] of shares.entries()) {
    for (const [number, form] of forms.entries()) {
      const round = index * forms.length + number + 1;
      await service.prepare({ changed: Math.round((vehicles * share) / 100), round });
      const cache = workspace.fresh('cache');
      nights.push({ share, form, night: await night(form, cache) });
      await rm(cache, { recursive: true, force: true });
    }
  }
  return nights;
}
