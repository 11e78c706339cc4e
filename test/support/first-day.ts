import { cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import type { VehicleMediaRecord } from '../../src/contract/media.ts';
import { startStaticServer } from '../../src/lib/static-server/server.ts';
import { REAL_FIELD_NAMES } from '../../src/sample-service/index.ts';
import { readTree, temporaryFolder } from './build.ts';
import { shell } from './checkout.ts';
import { startLasting } from './lasting.ts';
import { visit } from './page.ts';
import { CREATE, NODE_FOLDER } from './project.ts';
import { type Registry, startRegistry } from './registry.ts';
import { type SampleService, startSampleService } from './sample-service/index.ts';

const DAY = 24 * 3_600_000;

type Plate = Pick<VehicleMediaRecord, 'vrm'>;
const SLUGS = ['northgate-cars', 'southgate-cars'];

/** A night: its published files and the downloads of its build. */
export interface Night {
  /** The published files before and after it, by path. */
  before: Map<string, string>;
  after: Map<string, string>;
  /** Pictures sent completely, and all bytes sent by the picture host. */
  pictures: number;
  bytes: number;
}

export interface FirstDay extends AsyncDisposable {
  /** Seconds by step, in their order. */
  seconds: Record<string, number>;
  service: SampleService;
  /** One more vehicle per dealer, which is not listed yet. */
  arrivals: VehicleMediaRecord[];
  /** File and URL of a vehicle's page. `dealer` counts from 0. */
  fileOf(dealer: number, vehicle: Plate): string;
  addressOf(dealer: number, vehicle: Plate): string;
  /** Bytes that the picture host sent for the first build. */
  bytes: number;
  /**
   * Builds and publishes the next night like a CI: in a fresh clone of the project, with the previous site
   * online, and with its cache or, if the host evicted it, without.
   */
  night(cache: 'handed on' | 'evicted'): Promise<Night>;
}

const picturesOf = (page: Page) =>
  page.locator('main img').evaluateAll((images) =>
    images.map((image) => {
      const { complete, naturalWidth } = image as unknown as {
        complete: boolean;
        naturalWidth: number;
      };
      return complete && naturalWidth > 0;
    }),
  );

/** Opens a vehicle's page like a visitor and waits for its first picture. */
export async function lookAt(browser: Browser, address: string): Promise<void> {
  await using page = await visit(browser, address);
  await expect.poll(async () => (await picturesOf(page))[0], { timeout: 20_000 }).toBe(true);
}

/**
 * Automates the first day of a dealer's web developer: `npm create` in an empty folder, doctor, build,
 * publish, and a visit in a browser. Nights can follow.
 */
export async function liveFirstDay(browser: Browser): Promise<FirstDay> {
  const folder = await temporaryFolder();
  const service = await startSampleService({
    dealers: 2,
    vehicles: 4,
    images: 2,
    fieldNames: REAL_FIELD_NAMES,
  });
  const arrivals = service.data.dealers.map(({ vehicles }) => vehicles.pop() as VehicleMediaRecord);
  const at = (name: string) => path.join(folder.path, name);
  const cwd = at('project');
  // The empty host.
  const host = at('host');
  await mkdir(host);
  const server = await startStaticServer({ folder: host, port: 0 });
  let registry: Registry | undefined;
  const dispose = async () => {
    await registry?.[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
  const started = Date.now();
  // Drawn before the clock starts, because a real service has its photos already.
  const listed = service.data.dealers.flatMap(({ vehicles }) => vehicles);
  const [shown] = listed;
  if (!shown) throw new Error('no vehicle');
  for (const { id, type } of listed.flatMap(({ mediaList }) => mediaList)) {
    if (type === 'Image')
      await fetch(`${service.baseUrl}/pictures/${id}.jpg`).then((r) => r.arrayBuffer());
  }
  const seconds: Record<string, number> = {};
  const timed = async <T>(step: string, work: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await work();
    seconds[step] = Math.round((performance.now() - start) / 100) / 10;
    return result;
  };
  const command = async (line: string, env: Record<string, string> = {}, folder = cwd) => {
    const ran = await shell(line, {
      cwd: folder,
      env: { ...registry?.env, GIT_CONFIG_GLOBAL: at('gitconfig'), ...env },
      path: [NODE_FOLDER],
    });
    expect(ran, `${line}\n${ran.stdout}\n${ran.stderr}`).toMatchObject({ exitCode: 0 });
    return ran;
  };
  const publish = async (site: string) => {
    await cp(site, at('incoming'), { recursive: true });
    await rm(host, { recursive: true });
    await rename(at('incoming'), host);
  };
  const fileOf: FirstDay['fileOf'] = (dealer, { vrm }) =>
    `${SLUGS[dealer]}/${vrm.toLowerCase().replaceAll(' ', '')}/index.html`;
  const addressOf: FirstDay['addressOf'] = (dealer, vehicle) =>
    server.url + fileOf(dealer, vehicle).replace('index.html', '');
  const nights: string[] = [cwd];
  const night: FirstDay['night'] = async (cache) => {
    const clone = at(`night-${nights.length}`);
    await command(`git clone --quiet "${cwd}" "${clone}"`);
    // Already installed in the same way.
    await command(`cp -al "${cwd}/node_modules" . && rm -rf node_modules/.cache`, {}, clone);
    if (cache === 'handed on') await command(`cp -a "${nights.at(-1)}/.cache" .`, {}, clone);
    const before = await readTree(host);
    service.requests.clear();
    const now = new Date(started + nights.length * DAY).toISOString();
    const env = { MEDIA_API_KEY: service.mediaKey };
    await command(`npm run build -- --strict --now ${now}`, env, clone);
    nights.push(clone);
    await publish(path.join(clone, '_site'));
    return {
      before,
      after: await readTree(host),
      pictures: service.requests.list('picture').filter(({ status }) => status === 200).length,
      bytes: service.requests.bytes('picture'),
    };
  };
  try {
    const flags =
      `--service "${service.baseUrl}" --url "${server.url}" --title "Our Cars" ` +
      '--dealer "7001=Northgate Cars" --dealer "7002=Southgate Cars" --host cloudflare --ci github --detect';
    const key = { MEDIA_API_KEY: service.mediaKey };
    await writeFile(at('gitconfig'), '[user]\n  name = A\n  email = a@cars.test\n');
    registry = await startRegistry(folder.path);
    await registry.publish(inject('packed').program);
    await registry.publish(CREATE);
    const init = await timed('npm create', () =>
      // Without a terminal, npm needs a flag to download the create package.
      command(`npm create --yes vehicle-media-site@latest project -- ${flags}`, key, folder.path),
    );
    expect(init.stdout).toMatch(/^ {2}cd project\n {2}npm run dev /m);
    await expect(stat(path.join(cwd, 'node_modules/vitest'))).rejects.toThrow();
    const tracked = (await command('git ls-files')).stdout.split('\n');
    const files = ['site.config.ts', 'package.json', 'package-lock.json'];
    expect(tracked).toEqual(expect.arrayContaining(files));
    expect(tracked).not.toContain('.env');
    expect(await readFile(path.join(cwd, '.env'), 'utf8')).toContain(service.mediaKey);
    await timed('npm run dev', async () => {
      const line = 'cd project && npm run dev';
      await using site = await startLasting(line, /The site is at (http:\S+)/, {
        cwd: folder.path,
        env: {},
        path: [NODE_FOLDER],
      });
      await lookAt(browser, site.address + fileOf(0, shown).replace('index.html', ''));
    });
    await rm(path.join(cwd, '.cache'), { recursive: true });
    expect(init.stdout).toContain('Found names of fields: youTube');
    expect(init.stdout).toContain('0 errors');
    expect(init.stdout + init.stderr).not.toContain(service.mediaKey);

    const doctor = await timed('npm run doctor', () =>
      command('npm run --silent doctor -- --json'),
    );
    const diagnosis = JSON.parse(doctor.stdout);
    expect(diagnosis).toMatchObject({ ok: true, errors: 0 });
    const codes = diagnosis.findings.map(({ code }: { code: string }) => code);
    expect(codes).toEqual(
      expect.arrayContaining(['dealer-answers', 'pictures-arrive', 'host-fits']),
    );

    service.requests.clear();
    await timed('npm run build', () => command('npm run build'));
    const bytes = service.requests.bytes('picture');
    await publish(path.join(cwd, '_site'));
    await timed('in the browser', () => lookAt(browser, addressOf(0, shown)));
    // init has committed all files that git does not ignore.
    expect((await command('git status --short')).stdout).toBe('');
    return {
      seconds,
      service,
      arrivals,
      fileOf,
      addressOf,
      bytes,
      night,
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Changes the first picture of a vehicle. */
export function newPicture({ data }: SampleService, dealer: number, vrm: string): void {
  const vehicle = data.dealers[dealer]?.vehicles.find((one) => one.vrm === vrm);
  const picture = vehicle?.mediaList.find(({ type }) => type === 'Image');
  if (!vehicle || !picture) throw new Error(`${vrm} has no picture`);
  data.touch(picture.id);
  vehicle.dateUpdated = '2026-03-02T08:00:00Z';
}

/** A vehicle's page without the parts that show other vehicles. */
const withoutOthers = (page = '') =>
  page.replace(/<section class="similar">.*?<\/section>|<nav class="neighbours".*?<\/nav>/gs, '');

/**
 * Regressions of a night: missing files, and vehicle pages and thumbnails with other bytes, except for new,
 * changed and withdrawn vehicles, each given by its page. Another vehicle's page may show one of them as
 * similar or neighbouring, and must otherwise be the same.
 */
export function worse({ before, after }: Night, changed: readonly string[]): string[] {
  const folders = changed.map((page) => page.replace('index.html', ''));
  const expected = (file: string) => folders.some((folder) => file.includes(folder));
  // Links are relative, so all of them contain the name of the vehicle's folder.
  const names = folders.map((folder) => `/${path.basename(folder)}/"`);
  const onlyShows = (file: string) =>
    file.endsWith('.html') &&
    withoutOthers(before.get(file)) === withoutOthers(after.get(file)) &&
    [before, after].some((files) => names.some((name) => files.get(file)?.includes(name)));
  const thumbnails = [...after].flatMap(([file, text]) =>
    file.endsWith('.html') ? (text.match(/(?<=["' ,/])media\/[\w./-]+/g) ?? []) : [],
  );
  return [
    ...[...before.keys()]
      .filter((file) => !after.has(file) && !file.startsWith('media/') && !expected(file))
      .map((file) => `${file} is gone`),
    // Files about several vehicles may change with any of them.
    ...[...before]
      .filter(([file]) => /^(?:embed\/)?\w+-cars\/[\w-]+\/|^media\//.test(file) && !expected(file))
      .filter(([file, bytes]) => after.has(file) && after.get(file) !== bytes && !onlyShows(file))
      .map(([file]) => `${file} is not the same`),
    ...[...new Set(thumbnails)]
      .filter((file) => !after.has(file))
      .map((file) => `${file} is missing`),
  ];
}
