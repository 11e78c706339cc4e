import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { PUBLISHED_TIMES } from '../../src/publish/records.ts';
import { bytesHash } from '../../src/record/files.ts';
import { readTree } from '../support/build.ts';
import { applied, changeSetOf } from '../support/change-set.ts';
import { type Disk, type FirstNight, type Later, openFirstNight } from '../support/disks.ts';

/** A build that leaves what changed, on a disk that has nothing of the published site. */

let first: FirstNight;
let later: Later;
let published: Map<string, string>;

beforeAll(async () => {
  first = await openFirstNight();
}, 120_000);
afterAll(() => first[Symbol.asyncDispose]());
beforeEach(async () => {
  later = await first.later();
  published = await readTree(later.published);
  onTestFinished(() => later[Symbol.asyncDispose]());
});

type NightOptions = Parameters<Later['night']>[2];
type Change = Parameters<Later['night']>[3];

const vehicles = (dealer = 0) => later.service.data.dealers[dealer]?.vehicles ?? [];

/** The same night twice: whole, and thin. What is served after either is the same, with the same report. */
async function bothForms(
  { disk = 'empty', hours = 24 }: { disk?: Disk; hours?: number },
  options: NightOptions = {},
  change?: Change,
) {
  const whole = await later.night(disk, hours, options, change);
  expect(whole.error).toBeUndefined();
  later.site.asked.length = 0;
  later.service.requests.clear();
  const thin = await later.night(disk, hours, { ...options, form: 'thin' }, change);
  expect(thin.error).toBeUndefined();
  const asked = [...later.site.asked].sort();
  const set = await changeSetOf(thin.files ?? new Map());
  const served = applied(set, published);
  const expected = new Map([...(whole.files ?? []), [PUBLISHED_TIMES, whole.times ?? '']]);
  expect([...served.keys()].sort()).toEqual([...expected.keys()].sort());
  expect(served).toEqual(expected);
  const told = ({
    exitCode,
    outcome,
    dealers,
    attention,
    pictureFailures,
  }: typeof thin.report) => ({
    ...{ exitCode, outcome, dealers, attention, pictureFailures },
  });
  expect(told(thin.report)).toEqual(told(whole.report));
  return { whole, thin, set, served, asked };
}

const memory = ['7001.files.json', '7001.json', '7002.files.json', '7002.json', 'times.json'];

describe('a thin build on an empty disk', () => {
  it('asks for what is remembered, and makes what speaks of all dealers, where nothing changed', async () => {
    const { set, asked, thin } = await bothForms({});
    expect(asked).toEqual(memory.map((name) => `api/records/${name}`));
    // Whether pictures are as they were is asked as ever.
    expect(later.service.requests.list('picture').map(({ status }) => status)).not.toContain(200);
    const made = [...set.files.keys()].filter((file) => /^(?:dealer-|embed\/|media\/)/.test(file));
    expect(made).toEqual([]);
    expect(set.files.size).toBeLessThan(40);
    expect(set.list.gone).toEqual([]);
    expect(set.list.changed).toEqual([]);
    const times = Buffer.from(published.get(PUBLISHED_TIMES) ?? '', 'latin1');
    expect(set.list.base).toBe(bytesHash(times));
    expect(thin.report.media).toMatchObject({ outputsMade: 0, outputsRestored: 0, failed: 0 });
  });
});
