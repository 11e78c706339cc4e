/** `npm run bench -- nights`: the second night of a site, on each disk that a build may find. */
import { cp, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { UserConfig } from '../src/config/schema.ts';
import type { HostId } from '../src/deploy/host-api/types.ts';
import type { Run } from '../src/lib/command-line/definition.ts';
import type { NIGHTS_OPTIONS } from './commands.ts';
import { runner } from './media/bench-context.ts';
import { DEPLOYED_TO, type DeployedNight, deployedNights } from './support/deployed-nights.ts';
import { type Cost, measureScript } from './support/measure.ts';
import { reportCosts } from './support/night-costs.ts';
import { type NightServer, type Sent, startNightServer } from './support/night-server.ts';
import { type Row, reportRows } from './support/report.ts';
import { openWorkspace } from './support/workspace.ts';

const HOUR = 3_600_000;
const FIRST = Date.UTC(2026, 2, 3);

/** Initial disk of a build: its previous output, the restored cache of a host, or nothing. */
const DISKS = {
  kept: 'kept',
  cache: 'new, cache restored',
  empty: 'empty',
  alone: 'empty, site unreachable',
} as const;
type Disk = keyof typeof DISKS;

interface Night {
  cost: Cost;
  sent: Sent;
  /** Bytes of files that did not exist before. */
  written: number;
}

export const run: Run<typeof NIGHTS_OPTIONS> = async ({ values }) => {
  const disks = values.disks.split(',');
  const asWhole = values.whole.split(',');
  const hosts = (values.hosts ?? Object.keys(DEPLOYED_TO).join()).split(',').filter(Boolean);
  const vehicles = values.vehicles;
  const pictures = values.short ? 2 : 20;
  const shares = values.changed.split(',').map(Number);

  async function writtenSince(folder: string, since: number): Promise<number> {
    const names = await readdir(folder, { recursive: true, withFileTypes: true });
    const seen = new Set<number>();
    let bytes = 0;
    for (const entry of names) {
      if (!entry.isFile()) continue;
      const { birthtimeMs, ino, size } = await lstat(path.join(entry.parentPath, entry.name));
      // A hard link is not counted as written. Its inode keeps its time.
      if (birthtimeMs < since || seen.has(ino)) continue;
      seen.add(ino);
      bytes += size;
    }
    return bytes;
  }

  async function night(folder: string, server: NightServer, hours: number): Promise<Night> {
    const config: UserConfig = {
      service: { baseUrl: server.baseUrl },
      site: { title: 'Bench', url: server.siteUrl },
      media: { hosts: [] },
      dealers: [{ id: 1, name: 'Dealer', slug: 'dealer' }],
    };
    const since = Date.now();
    const cost = await measureScript(runner('build'), {
      config,
      output: path.join(folder, 'site'),
      cacheDir: path.join(folder, 'cache'),
      now: FIRST + hours * HOUR,
      fromPublished: true,
    });
    return { cost, sent: await server.sent(), written: await writtenSince(folder, since) };
  }

  /** Creates the disk of the second night from the disk of the first night. */
  async function diskOf(disk: Disk, first: string, folder: string): Promise<void> {
    await mkdir(folder);
    const copied = {
      kept: ['.site.work', 'site', 'cache'],
      cache: ['cache'],
      empty: [],
      alone: [],
    };
    for (const name of copied[disk]) {
      const options = { recursive: true, preserveTimestamps: true };
      await cp(path.join(first, name), path.join(folder, name), options);
    }
  }

  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  const seconds = (time: number): string => `${time.toFixed(1)} s`;
  const percent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`;
  /** All cells as text for the terminal. */
  const textOf = (cells: Record<string, string>): string =>
    Object.entries(cells)
      .map(([title, text]) => `${title} ${text}`)
      .join('; ');

  /** A night and its deploy. */
  function deployedCells(to: string, share: number, form: string, night: DeployedNight) {
    const { build, deploy, down, up, wire, changed, requests } = night;
    return {
      Host: to,
      Changed: `${share} %`,
      Build: form,
      Time: `${seconds(build.wall)} + ${seconds(deploy.wall)}`,
      CPU: seconds(build.cpu + deploy.cpu),
      'Files uploaded': `${megabytes(up)} for ${megabytes(changed)}`,
      'All uploads': megabytes(wire),
      'From the site, per vehicle': `${(down / vehicles / 1e3).toFixed(1)} kB`,
      Requests: `${requests.api} + ${requests.site}`,
    };
  }

  /** Limits of requests and downloaded kilobytes per vehicle. Listing a bucket costs 250 bytes per object. */
  const limitsOf = (to: string) =>
    to === 's3' ? { requests: 50, down: 24 } : { requests: 30, down: 4 };

  /** Whether a thin night meets its target. */
  function isGood(to: string, share: number, night: DeployedNight) {
    const { build, deploy, up, changed, down, requests } = night;
    const limits = limitsOf(to);
    const wall = build.wall + deploy.wall;
    const isSmall = down / vehicles <= limits.down * 1000;
    if (share === 0) return isSmall && wall <= 4 && requests.api <= limits.requests;
    return isSmall && wall <= 10 && up <= 1.2 * changed;
  }

  /**
   * @param cacheDir contains the thumbnails of the first night, so that they are not encoded again for each
   * host.
   */
  async function deployed(cacheDir: string) {
    const rows: Row[] = [];
    const nights = new Map<string, DeployedNight>();
    for (const to of hosts) {
      const start = DEPLOYED_TO[to];
      if (!start) throw new Error(`${to} is none of ${Object.keys(DEPLOYED_TO).join(', ')}.`);
      let passed = 0;
      const pass = (ms: number) => {
        passed += ms;
      };
      const time = () => Date.now() + passed;
      await using host = await start(time, workspace.fresh('served'));
      const forms = asWhole.includes(to) ? (['thin', 'whole'] as const) : (['thin'] as const);
      const counted = shares.filter((share) => share <= 2);
      const at = { service: server, workspace, host, pass, time, cacheDir };
      for (const { share, form, night } of await deployedNights({
        ...at,
        to: to as HostId,
        forms,
        vehicles,
        shares: counted,
        now: FIRST,
      })) {
        const isTarget = form === 'thin' && vehicles === 300;
        const row: Row = {
          id: `deploy-${to}-${share}-${form}`,
          cells: deployedCells(to, share, form, night),
          target: '',
          ...(isTarget && { met: isGood(to, share, night) }),
          details: night,
        };
        console.log(`  ${to} ${share} % ${form}: ${textOf(row.cells)}`);
        rows.push(row);
        nights.set(`${to} ${share} ${form}`, night);
      }
    }
    return { rows, nights };
  }

  function diskCells(share: number, disk: Disk, { cost, sent, written }: Night, first: Night) {
    return {
      Changed: `${share} %`,
      Disk: DISKS[disk],
      Time: seconds(cost.wall),
      CPU: seconds(cost.cpu),
      'Of the first build': percent(cost.cpu / first.cost.cpu),
      'From the service': megabytes(sent.answers + sent.originals),
      'From the site': megabytes(sent.records + sent.thumbnails),
      Written: megabytes(written),
    };
  }

  const workspace = await openWorkspace(values);
  const server = await startNightServer({ photos: workspace.photos, vehicles, pictures });
  try {
    const firstFolder = workspace.fresh('first');
    await mkdir(firstFolder);
    await server.prepare({ site: path.join(firstFolder, 'none'), changed: 0 });
    console.log(`${vehicles} vehicles × ${pictures} pictures, first night:`);
    const first = await night(firstFolder, server, 0);
    console.log(`  ${textOf(diskCells(100, 'alone', first, first))}`);
    const rows: Row[] = [];
    let cached: { wall: number; records: number } | undefined;
    for (const share of shares) {
      for (const disk of Object.keys(DISKS) as Disk[]) {
        // Repeats the first night, without any changes.
        if (!disks.includes(disk) || (disk === 'alone' && share !== shares[0])) continue;
        const folder = workspace.fresh(disk);
        await diskOf(disk, firstFolder, folder);
        await server.prepare({
          ...(disk !== 'alone' && { site: path.join(firstFolder, 'site') }),
          changed: Math.round((vehicles * share) / 100),
        });
        const second = await night(folder, server, 24);
        if (disk === 'cache' && share === 2) {
          cached = { wall: second.cost.wall, records: second.sent.records };
        }
        await rm(folder, { recursive: true });
        const row: Row = {
          id: `nights-${share}-${disk}`,
          cells: diskCells(share, disk, second, first),
          target: disk === 'empty' && share === 0 ? '5 %' : '',
          ...(disk === 'empty' && share === 0 && { met: second.cost.cpu <= 0.05 * first.cost.cpu }),
          details: { first, second },
        };
        console.log(`  ${share} % ${disk}: ${textOf(row.cells)}`);
        rows.push(row);
      }
    }
    const { rows: deployedRows, nights } = await deployed(path.join(firstFolder, 'cache'));
    const thin = nights.get('netlify 2 thin');
    const full = nights.get('netlify 2 whole');
    if (thin && full && cached) await reportCosts({ vehicles, thin, full, cached }, values);
    await reportRows('nights', rows, values);
    await reportRows('nights-deployed', deployedRows, values);
  } finally {
    server.close();
    await workspace.remove();
  }
  return 0;
};
