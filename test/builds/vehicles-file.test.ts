import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type Build, build, readTree } from '../support/build.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { runHere } from '../support/run-here.ts';
import { NORTHGATE, pictures, siteForEachTest, vehicle } from '../support/site.ts';

/** Media ids that no hash contains by chance. */
const HIDDEN = 770_000_111;
const OTHER = 880_000_222;

const STOCK = 'plate,make,model,price\nNK21WXY,Ford,Puma,9000\nCD34EFG,Kia,Ceed,8000\n';

const site = await siteForEachTest({
  dealers: [
    {
      ...NORTHGATE,
      stock: { file: 'stock.csv' },
      vehicles: [
        vehicle('NK21 WXY', pictures(HIDDEN, 2), '2026-03-01T10:00:00Z'),
        vehicle('CD34 EFG', pictures(OTHER, 3), '2026-03-01T09:00:00Z'),
        vehicle('EF56 GHI', pictures(990_000_333, 1), '2026-03-01T08:00:00Z'),
      ],
    },
  ],
  site: { favourites: true, sticker: true, locales: ['de-DE'] },
  files: { 'stock.csv': STOCK },
});

const decide = (text: string) => writeFile(path.join(site.folder, 'vehicles.csv'), text);

/** All names of a vehicle's pictures in the record: ids, hashes of URLs and of bytes. */
async function namesOf(plate: string): Promise<string[]> {
  const text = await readFile(path.join(site.output, 'api/records/7001.json'), 'utf8');
  const lines: [string, never][] = JSON.parse(text).lines;
  const of = (kind: string): unknown[] =>
    lines.flatMap(([of, line]) => (of === kind ? [line] : []));
  const found = of('vehicle').find((one) => (one as { vrm: string }).vrm === plate);
  const { media } = found as { media: { id: number; source: string }[] };
  return media.flatMap(({ id, source }) => {
    const row = of('source').find((one) => (one as string[])[0] === `${id} ${source}`) as string[];
    return [String(id), source, row[3] as string];
  });
}

/** Files of a folder whose name or bytes contain one of the texts, in any letter case. */
async function filesWith(folder: string, texts: readonly string[]): Promise<string[]> {
  const wanted = texts.map((text) => text.toLowerCase());
  const found: string[] = [];
  for (const [name, bytes] of await readTree(folder)) {
    const all = `${name}\n${bytes}`.toLowerCase();
    if (wanted.some((text) => all.includes(text))) found.push(name);
  }
  return found;
}

const PLATES = ['NK21 WXY', 'NK21WXY', 'NK21-WXY', 'NK21%20WXY', 'NK21&nbsp;WXY', 'NK21\u00a0WXY'];

const titlesIn = async (file = 'northgate/index.html') =>
  Array.from(
    (await readFile(path.join(site.output, file), 'utf8')).matchAll(/class="name[^>]*>([^<]*)</g),
    ([, title]) => title,
  );

it('no file contains a hidden vehicle, also while the service is down', async () => {
  const names = [...PLATES, ...(await namesOf('NK21 WXY'))];
  expect(names).toHaveLength(PLATES.length + 6);
  expect((await filesWith(site.output, names)).length).toBeGreaterThan(20);

  await decide('plate,hide\nnk21wxy,yes\n');
  site.service.faults.set({ route: 'media', status: 503 });
  const silent = await site.night();
  expect(silent.report.dealers[0]).toMatchObject({ state: 'degraded', vehicles: { used: 2 } });
  expect(await filesWith(site.output, names)).toEqual([]);

  site.service.faults.clear();
  const { report } = await site.night();
  expect(report.dealers[0]).toMatchObject({ state: 'fresh', vehicles: { used: 2, hidden: 1 } });
  expect(report.dealers[0]?.vehicles.withdrawn).toBe(0);
  expect(await filesWith(site.output, names)).toEqual([]);

  // A machine without a cache reads the published records.
  await rm(path.join(site.folder, 'cache'), { recursive: true });
  await site.night();
  expect(await filesWith(site.output, names)).toEqual([]);

  await decide('plate,hide\nnk21wxy,\n');
  await site.night();
  expect(await filesWith(site.output, names)).toContain('northgate/nk21-wxy/index.html');
});

it('no file contains a hidden picture, and the chosen one comes first', async () => {
  const [id = '', source = '', bytes = ''] = await namesOf('CD34 EFG');
  await decide(`plate,without,first\nCD34EFG,${OTHER},${OTHER + 2}\n`);
  await site.night();
  expect(await filesWith(site.output, [id, source, bytes])).toEqual([]);
  const json = await readFile(path.join(site.output, 'northgate/cd34-efg/media.json'), 'utf8');
  const ids = JSON.parse(json).media.map((one: { id: number }) => one.id);
  expect(ids).toEqual([OTHER + 2, OTHER + 1]);
});

it('deploying the changes removes a hidden vehicle from the host', async () => {
  const names = [...PLATES, ...(await namesOf('NK21 WXY'))];
  const host = path.join(site.folder, 'host');
  const deploy = async (folder: string) => {
    const args = ['--to', 'folder', '--folder', folder, '--no-check', '--take-over'];
    const env = { DEPLOY_FOLDER: host };
    const ran = await runHere(['deploy', ...args], { cwd: site.folder, env });
    expect(ran.stderr + ran.stdout).toContain('Deployed');
    expect(ran.exitCode).toBe(0);
  };
  await deploy(site.output);
  const live = path.join(host, 'current');
  expect((await filesWith(live, names)).length).toBeGreaterThan(20);
  const output = path.join(site.folder, 'changes');
  const thin: Build = await build(site.config(), site.folder, {
    output,
    form: 'thin',
    fromPublished: true,
    hide: ['nk21 wxy, XX99XXX'],
  });
  expect(thin.error).toBeUndefined();
  // The list of changes, which is never uploaded, names the removed pages.
  expect(await filesWith(path.join(output, 'files'), names)).toEqual([]);
  await deploy(output);
  expect(await filesWith(live, names)).toEqual([]);
  expect((await readTree(live)).has('northgate/cd34-efg/index.html')).toBe(true);
});

it('status, title and order appear in lists, on pages, in JSON and for search engines', async () => {
  await decide('plate,status,title,order\nNK21WXY,sold,,\nEF56GHI,reserved,One owner,1\n');
  await site.night();
  expect(await titlesIn()).toEqual(['One owner', 'Kia Ceed', 'Ford Puma']);
  const page = await readFile(path.join(site.output, 'northgate/nk21-wxy/index.html'), 'utf8');
  expect(page).toContain('"availability":"https://schema.org/SoldOut"');
  const list = JSON.parse(await readFile(path.join(site.output, 'northgate/media.json'), 'utf8'));
  const shown = list.vehicles.map(({ name, status }: Record<string, string>) => [name, status]);
  expect(shown).toEqual([
    ['One owner', 'reserved'],
    ['Kia Ceed', 'available'],
    ['Ford Puma', 'sold'],
  ]);
  // The feed stays newest first.
  const feed = JSON.parse(await readFile(path.join(site.output, 'northgate/feed.json'), 'utf8'));
  expect(feed.items[0].title).toContain('Ford Puma');
});

it('plates and media without a match are reported', async () => {
  await decide('plate,hide,first,without\nNK21WXZ,yes,,\nCD34EFG,,12345,9\n');
  const { report, lines } = await site.night();
  expect(report.notes).toContain('vehicles.csv: no vehicle has these plates: NK21WXZ (line 2).');
  expect(report.dealers[0]?.notes).toEqual([
    'CD34EFG (line 3) has no picture 12345 (first)',
    'CD34EFG (line 3) has no picture or video 9 (without)',
  ]);
  expect(lines.join('')).toContain('NK21WXZ (line 2)');
  const nonsense = await build(site.config(), site.folder, { hide: ['–'] });
  expect(nonsense.error).toMatchObject({ exitCode: 2, message: expect.stringContaining('--hide') });
  const once = await build(site.config(), site.folder, { hide: ['NK21 WXA'], strict: true });
  expect(once.exitCode).toBe(8);
  expect(once.report.attention).toMatchObject([{ code: 'vehicles-hide-unmatched' }]);
  expect(once.report.attention[0]?.what).toContain('NK21 WXA');
});

it('a file that hides everything publishes nothing and is reported', async () => {
  await decide('plate,hide\nNK21WXY,yes\nCD34EFG,yes\nEF56GHI,yes\n');
  const made = await build(site.config(), site.folder);
  expect(made.error).toMatchObject({ code: 'publish-all-hidden', exitCode: 5 });
  expect(String(made.error)).toContain('all vehicles of the site: 3');
  expect((await readTree(site.output)).has('northgate/nk21-wxy/index.html')).toBe(true);
});

it('a mistake in the file stops the build before the first request', async () => {
  await decide('plate,hide\nNK21WXY,true\n');
  const asked = site.service.requests.list('media').length;
  const made = await build(site.config(), site.folder);
  expect(made.error).toMatchObject({ code: 'vehicles-file-invalid', exitCode: 2 });
  expect(site.service.requests.list('media')).toHaveLength(asked);
});

it('a configured file is required', async () => {
  await writeFilesBelow(site.folder, { 'lists/mine.csv': 'plate,hide\nNK21WXY,yes\n' });
  await site.night({ vehicles: 'lists/mine.csv' });
  expect(await filesWith(site.output, PLATES)).toEqual([]);
  const made = await build(site.config({ vehicles: 'none.csv' }), site.folder);
  expect(made.error).toMatchObject({ code: 'vehicles-file-unreadable' });
});
