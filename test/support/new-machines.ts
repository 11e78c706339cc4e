import { cpSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { RunOptions } from '../../src/publish/run.ts';
import { PUBLISHED_TIMES } from '../../src/record/published-records.ts';
import type { SampleService } from '../../src/sample-service/index.ts';
import { build, configFor, readTree, temporaryFolder } from './build.ts';
import { FIRST_NIGHT, startWorld, withoutTimes } from './disks.ts';
import { type PublishedSite, startPublishedSite, withOtherMarks } from './published-site.ts';
import { restorable } from './service.ts';

export const HOUR = 3_600_000;

/** The pages of a dealer. */
export const pagesOf = (files: ReadonlyMap<string, string> | undefined, dealer: string) =>
  [...(files?.keys() ?? [])].filter((file) => file.startsWith(`${dealer}/`));

/** Makes the marks of the published site wrong. */
export const unmarked: PublishedSite['instead'] = (file, bytes) =>
  file === PUBLISHED_TIMES ? { body: withOtherMarks(String(bytes)) } : undefined;

/**
 * Nearly every build runs on a machine that is new: what visitors see is on the published site, and
 * perhaps in a cache of some night. For the tests of one file: a service, a site, and its first night.
 */
export function newMachines() {
  let service: SampleService;
  let site: PublishedSite;
  let first: Awaited<ReturnType<typeof temporaryFolder>>;
  let restore: () => void;
  /** How many the first night made. */
  let thumbnails: number;

  const config = () =>
    configFor(service, {
      site: { title: 'Test Motors', url: site.url },
      media: { widths: [160] },
    });
  const vehicles = (dealer = 0) => service.data.dealers[dealer]?.vehicles ?? [];
  const down = (status = 503) => service.faults.set({ route: 'media', dealerId: 7001, status });

  beforeAll(async () => {
    service = await startWorld();
    restore = restorable(service);
    site = await startPublishedSite();
    first = await temporaryFolder();
    const { error, report } = await build(config(), first.path, { now: FIRST_NIGHT });
    expect(error).toBeUndefined();
    thumbnails = report.media?.outputsMade ?? 0;
  }, 120_000);
  afterAll(async () => {
    await site[Symbol.asyncDispose]();
    await service.close();
    await first[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    restore();
    site.folder = path.join(first.path, 'site');
    site.instead = undefined;
  });

  /** A build on a new machine, with what a host's cache gave back. */
  async function night(
    { hours = 24, cache }: { hours?: number; cache?: string } = {},
    options: Partial<RunOptions> = {},
  ) {
    const folder = await temporaryFolder();
    if (cache) cpSync(cache, path.join(folder.path, 'cache'), { recursive: true });
    const built = await build(config(), folder.path, {
      now: FIRST_NIGHT + hours * HOUR,
      fromPublished: true,
      ...options,
    });
    const files =
      built.report.outcome === 'not-published' ? undefined : await readTree(built.output);
    await folder[Symbol.asyncDispose]();
    return { ...built, files, code: built.report.problem?.code };
  }

  /** What every disk but the fourth makes of a night. */
  async function everyDisk(hours: number, options: Partial<RunOptions> = {}) {
    await using kept = await temporaryFolder();
    cpSync(first.path, kept.path, { recursive: true, preserveTimestamps: true });
    const now = FIRST_NIGHT + hours * HOUR;
    const built = await build(config(), kept.path, { now, fromPublished: true, ...options });
    const nights = [
      { ...built, files: await readTree(built.output) },
      await night({ hours, cache: path.join(first.path, 'cache') }, options),
      await night({ hours }, options),
    ] as const;
    const [one, ...others] = nights.map(({ exitCode, report, files }) => ({
      exitCode,
      outcome: report.outcome === 'unchanged' ? 'published' : report.outcome,
      states: report.dealers.map(({ state }) => state),
      attention: report.attention,
      files: withoutTimes(files),
    }));
    for (const other of others) expect(other).toEqual(one);
    expect(new Set(nights.map(({ files }) => files?.get(PUBLISHED_TIMES))).size).toBe(1);
    return nights[2];
  }

  return {
    get service() {
      return service;
    },
    get site() {
      return site;
    },
    /** Where the first night was built. */
    get first() {
      return first;
    },
    get thumbnails() {
      return thumbnails;
    },
    config,
    vehicles,
    down,
    night,
    everyDisk,
  };
}
