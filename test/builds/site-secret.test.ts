import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RunOptions } from '../../src/publish/options/run-options.ts';
import { PUBLISHED_TIMES } from '../../src/record/published-records.ts';
import { build, configFor, readTree } from '../support/build.ts';
import { down, FIRST_NIGHT, startWorld } from '../support/disks.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startPublishedSite } from '../support/published-site.ts';
import { removeMedia, restorable } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const OLD = '0123456789abcdef0123456789abcdef';
const NEW = 'fedcba9876543210fedcba9876543210';
const OTHER = '00112233445566778899aabbccddeeff';
const SHORT = 'short-key-of-a-vendor';
const SECRET = 'p0Xb1kQ-Zr8sV_2mN4tL6wY9cA3eF5gH7jK-DqUxIo';
const OTHER_SECRET = 'Zz9-yX8wV7uT6sR5qP4oN3mL2kJ1iH0gF_eDcBaQwE';

/** The keys of the two dealers, and the environment's SITE_SECRET. */
interface Keys {
  keys: readonly [string, string];
  secret?: string;
}

const service = await forAllTests(startWorld({ vehicles: 3 }));
const restore = restorable(service);
const site = await forAllTests(startPublishedSite());

beforeEach(() => {
  restore();
  // Only one test is about pictures.
  removeMedia(service);
  site.folder = '/none';
});

/** A build on an empty disk. Its site is the published one afterwards. */
async function night(hours: number, { keys, secret }: Keys, options: Partial<RunOptions> = {}) {
  const folder = tempFolder();
  for (const [index, dealer] of service.data.dealers.entries()) {
    Object.assign(dealer, { apiKey: keys[index] });
  }
  const dealers = service.data.dealers.map(({ id, name }, index) => ({
    id,
    name,
    slug: `dealer-${index + 1}`,
    apiKeyEnv: `KEY_${index + 1}`,
  }));
  const config = configFor(
    service,
    {
      site: { title: 'Test Motors', url: site.url },
      media: { widths: [160] },
      dealers,
    },
    { KEY_1: keys[0], KEY_2: keys[1], ...(secret !== undefined && { SITE_SECRET: secret }) },
  );
  const built = await build(config, folder, {
    now: FIRST_NIGHT + hours * 3_600_000,
    fromPublished: true,
    ...options,
  });
  const isPublished = built.report.outcome !== 'not-published';
  const files = isPublished ? await readTree(built.output) : undefined;
  if (isPublished) site.folder = path.join(folder, 'site');
  return { ...built, files, code: built.report.problem?.code };
}

const statesOf = ({ report }: Awaited<ReturnType<typeof night>>) =>
  report.dealers.map(({ state }) => state);

describe('a build on an empty disk uses the stored state of the published site', () => {
  const all = (key: string): [string, string] => [key, key];

  it.each<[string, Keys, Keys]>([
    [
      'if the dealers have different keys, and all of them are replaced',
      { keys: [OLD, SHORT], secret: SECRET },
      { keys: [OTHER, NEW], secret: SECRET },
    ],
    [
      'if SITE_SECRET is new and the vendor’s key signed so far',
      { keys: all(OLD) },
      { keys: all(OLD), secret: SECRET },
    ],
  ])('%s', async (_, before, after) => {
    const first = await night(0, before);
    expect(first.error).toBeUndefined();
    down({ service });
    const second = await night(24, after);
    expect(second.error).toBeUndefined();
    expect(statesOf(second)).toEqual(['degraded', 'fresh']);
    for (const file of first.files?.keys() ?? []) {
      if (!file.startsWith('dealer-1/')) continue;
      expect(second.files?.get(file), file).toBe(first.files?.get(file));
    }
    expect(second.report.dealers[0]?.notes.join()).toBe('');
  });

  it('and a change set of a build with the new key downloads no picture again', async () => {
    restore();
    const first = await night(0, { keys: all(OLD), secret: SECRET });
    expect(first.report.media?.outputsMade).toBeGreaterThan(0);
    const second = await night(24, { keys: all(NEW), secret: SECRET }, { form: 'thin' });
    expect(second.error).toBeUndefined();
    expect(second.report.media).toMatchObject({ downloaded: 0, outputsMade: 0 });
  });
});

describe('a build on an empty disk does not trust', () => {
  const refused: [string, Keys, Keys, string][] = [
    [
      'a record that another SITE_SECRET signed',
      { keys: [OLD, OLD], secret: SECRET },
      { keys: [OLD, OLD], secret: OTHER_SECRET },
      'SITE_SECRET',
    ],
    [
      'a record without a signature, if the key is short',
      { keys: [SHORT, SHORT] },
      { keys: [SHORT, SHORT] },
      'Set SITE_SECRET',
    ],
  ];

  it.each(refused)('%s', async (_, before, after, note) => {
    const first = await night(0, before);
    expect(first.error).toBeUndefined();
    const second = await night(24, after);
    expect(second.exitCode).toBe(0);
    expect(second.report.dealers[0]?.notes.join()).toContain(note);
    down({ service });
    site.folder = path.join(path.dirname(first.output), 'site');
    const third = await night(24, after);
    expect([third.exitCode, third.code]).toEqual([4, 'service-unreachable']);
  });
});

it('publishes neither SITE_SECRET nor the keys with the signatures', async () => {
  const first = await night(0, { keys: [OLD, SHORT], secret: SECRET });
  const times = JSON.parse(first.files?.get(PUBLISHED_TIMES) ?? '');
  for (const id of ['7001', '7002']) expect(times.dealers[id].mark).toMatch(/^[\w-]{43}$/);
  const all = [...(first.files ?? [])].flat().join();
  for (const secret of [SECRET, OLD, SHORT]) expect(all.includes(secret)).toBe(false);
});
