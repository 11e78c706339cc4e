import { cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { resolveConfig } from '../../src/config/load.ts';
import type { RunOptions } from '../../src/publish/options/run-options.ts';
import type { BuildReport } from '../../src/publish/report/report.ts';
import { runBuild } from '../../src/publish/run.ts';
import { PUBLISHED_TIMES } from '../../src/record/published-records.ts';
import { randomOf } from '../../src/sample-service/data/random.ts';
import { differing, type Tree } from '../chaos/live.ts';
import {
  putTree,
  readSite,
  readTree,
  recordingConsole,
  temporaryFolder,
} from '../support/build.ts';
import { applied, changeSetOf } from '../support/change-set.ts';
import { edit, KINDS, type World } from '../support/edits.ts';
import { type PublishedSite, startPublishedSite } from '../support/published-site.ts';
import type { SampleService } from '../support/sample-service/index.ts';
import { startService } from '../support/service.ts';

/** `EDITS` sets the number of edits, `EDIT_SEED` the seed, for a longer proof. By default, each kind occurs. */
const EDITS = Number(process.env.EDITS ?? KINDS);
const SEED = Number(process.env.EDIT_SEED ?? 0) + 1;

const NOW = Date.UTC(2026, 2, 3);

let service: SampleService;
/** The public site, or nothing unless a build needs it. */
let site: PublishedSite;
const GONE = () => ({ status: 404 });
async function buildInto(
  world: World,
  { output, cacheDir }: Pick<World, 'output' | 'cacheDir'>,
  more: Partial<RunOptions> = {},
) {
  const config = resolveConfig(structuredClone(world.config), {
    file: path.join(world.folder, 'site.config.ts'),
    keysFor: 'dealers',
    env: { MEDIA_API_KEY: service.mediaKey },
  });
  const options = {
    config,
    output,
    cacheDir,
    now: world.now,
    console: recordingConsole(),
    ...more,
  };
  const { error, report } = await runBuild(options);
  expect(error).toBeUndefined();
  return report;
}

/** Path of the site's URL with a trailing slash, like in requests: '' or 'below/'. */
const pathOf = ({ config }: World): string =>
  new URL(config.site.url).pathname.replace(/^\/|\/$/g, '').replace(/.$/, '$&/');

/** Folder of the published site. */
let livePath = '';

/**
 * Builds the next site on an empty disk as a change set, and deploys it over the live site. It should equal the site
 * of this disk. If not, and in every fifth step, it must equal a full build on another empty disk.
 */
async function deployChanges(world: World, live: string, actual: Tree, why: string, step: number) {
  await using disk = await temporaryFolder();
  const buildOn = async (form: 'thin' | 'whole') => {
    const [output, cacheDir] = ['out', 'cache'].map((name) => path.join(disk.path, form, name));
    const folders = { output: output as string, cacheDir: cacheDir as string };
    const report = await buildInto(world, folders, { form, fromPublished: true });
    return { report, tree: await readTree(folders.output) };
  };
  site.folder = live;
  // It is at the URL of its last deploy. A new URL has no site yet.
  site.instead = (asked) => {
    const file = path.join(live, asked.slice(livePath.length));
    const isThere = asked.startsWith(livePath) && existsSync(file);
    return isThere ? { body: readFileSync(file) } : GONE();
  };
  const thin = await buildOn('thin');
  const served = applied(await changeSetOf(thin.tree), await readTree(live));
  if (differing(served, actual).length > 0 || step % 5 === 0) {
    const full = await buildOn('whole');
    expect(thin.report.dealers, why).toEqual(full.report.dealers);
    expect(differing(served, full.tree), `${why}, thin`).toEqual([]);
    expect(served.get(PUBLISHED_TIMES), why).toBe(full.tree.get(PUBLISHED_TIMES));
  }
  site.instead = GONE;
  livePath = pathOf(world);
  await rm(live, { recursive: true });
  putTree(live, served);
  return thin.report.rendered ?? 0;
}

/**
 * Whether a build found a thumbnail whose bytes changed, but not its size and time. Only a card reads it, so the
 * next build repairs it.
 */
function hasDamage({ cacheDir, output }: World): boolean {
  const folders = [path.join(cacheDir, 'media', 'files'), path.join(output, 'media')];
  return folders
    .filter(existsSync)
    .some((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).some(
        (name) => statSync(path.join(folder, name)).mtimeMs === 0,
      ),
    );
}

/** Results of the dealers. Notes about the published site concern only one folder. */
const withoutNotes = ({ dealers }: BuildReport) => dealers.map(({ notes: _, ...rest }) => rest);

/**
 * Edits stock, theme and settings at random. After each edit, compares an incremental build on this disk and
 * from the published site with a build from nothing.
 */
async function compareAfterEdits(): Promise<void> {
  await using folder = await temporaryFolder();
  const world: World = {
    service,
    folder: folder.path,
    output: path.join(folder.path, 'site'),
    cacheDir: path.join(folder.path, 'cache'),
    random: randomOf(SEED).next,
    number: 0,
    now: NOW,
    left: [],
    config: {
      service: { baseUrl: service.baseUrl, timeout: '20s' },
      site: { title: 'Test Motors', url: site.url, perPage: 4 },
      dealers: service.data.dealers.map(({ id, name }, index) => ({
        id,
        name,
        slug: `dealer-${index + 1}`,
        ...(index === 0 && { stock: { file: 'stock.csv' } }),
      })),
      media: { widths: [64, 96] },
      publish: { maxVehicleLoss: 1, minVehicleLoss: 1000, maxPictureFailures: 1 },
    },
  };
  await writeFile(path.join(folder.path, 'stock.csv'), 'plate,make,model\n');
  await buildInto(world, world);

  const live = path.join(folder.path, 'live');
  cpSync(world.output, live, { recursive: true });
  let rendered = 0;
  let pages = 0;
  let unchanged = 0;
  let renderedThin = 0;
  for (let step = 1; world.number < EDITS; step++) {
    const what = edit(world);
    let report = await buildInto(world, world);
    if (hasDamage(world)) report = await buildInto(world, world);
    expect(hasDamage(world), `step ${step}: ${what}`).toBe(false);
    rendered += report.rendered ?? 0;
    pages += report.pages;
    if (report.outcome === 'unchanged') unchanged++;

    const other = path.join(folder.path, 'other');
    const nothing = { output: path.join(other, 'site'), cacheDir: path.join(other, 'cache') };
    // Thumbnails and responses are the same. No page exists.
    const copied = { recursive: true, preserveTimestamps: true };
    cpSync(world.cacheDir, nothing.cacheDir, copied);
    // Thumbnails that the cache lost are in the published folder. Otherwise their pictures would be
    // requested.
    const media = [`${world.output}/media`, `${nothing.cacheDir}/media/files`] as const;
    if (existsSync(media[0])) cpSync(...media, { ...copied, force: false });
    const full = await buildInto(world, nothing);
    expect(full.rendered).toBe(full.pages);
    expect(withoutNotes(report), `step ${step}: ${what}`).toEqual(withoutNotes(full));
    const actual = await readSite(world.output);
    const fromNothing = await readSite(nothing.output);
    expect(differing(actual, fromNothing), `step ${step}: ${what}`).toEqual([]);
    await rm(other, { recursive: true });
    renderedThin += await deployChanges(world, live, actual, `step ${step}: ${what}`, step);

    // Once more without changes.
    const again = await buildInto(world, world);
    expect(again, `after step ${step}: ${what}`).toMatchObject({
      outcome: 'unchanged',
      rendered: 0,
    });
  }
  // The test must cover reuse, not full builds.
  expect(rendered).toBeLessThan(pages * 0.75);
  expect(renderedThin).toBeLessThan(pages * 0.75);
  console.log(
    `${world.number} edits of ${KINDS} kinds: ${rendered} of ${pages} pages rendered, ${unchanged} times none`,
  );
}

it(`after each of ${EDITS} random edits, an incremental build equals a build from nothing`, async () => {
  site = await startPublishedSite();
  site.instead = GONE;
  service = await startService({ dealers: 2, vehicles: 6, images: 2 });
  try {
    await compareAfterEdits();
  } finally {
    await service[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  }
}, 1_800_000);
