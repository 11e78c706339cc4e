import { describe, expect, it } from 'vitest';
import {
  addressOf,
  checkedAtEarliest,
  isDue,
  nextStep,
  planSources,
  type Source,
  unplannedOutputs,
} from '../../../src/media/plan.ts';
import { outputNames, recipeBook } from '../../../src/media/recipes.ts';
import { OutputNames } from '../../../src/media/store/output-names.ts';
import { sourceHash, type Vehicle } from '../../../src/stock/vehicle.ts';
import { DAY, FIRST_NIGHT, mediaConfig } from '../../support/media-line.ts';

const book = recipeBook(mediaConfig());
const image = (id: number, url = `https://pictures.example/${id}.jpg`) => ({
  kind: 'image' as const,
  id,
  label: `Image ${id}`,
  source: sourceHash(1, id, url),
  url,
});
const vehicle = (vrm: string, media: Vehicle['media'], dealerId = 1): Vehicle => ({
  dealerId,
  vrm,
  slug: vrm.toLowerCase(),
  dateUpdated: '2026-03-01T00:00:00Z',
  media,
});

const content = { width: 1600, height: 1200, colour: '808080' };
const hash = '0123456789abcdef0123';
const entry = {
  etag: '"a"',
  lastModified: undefined,
  vehicleDate: '2026-03-01T00:00:00Z',
  checkedAt: FIRST_NIGHT,
  hash,
};
const [source] = planSources([vehicle('AB1', [image(1), image(2)])], book) as [Source];
const all = new OutputNames(outputNames({ hash, ...content }, source.recipes));

describe('planSources', () => {
  it('lists each source once, with what a cover needs if it is one anywhere', () => {
    const sources = planSources(
      [vehicle('AB1', [image(1), image(2), image(2)]), vehicle('AB2', [image(2), image(3)])],
      book,
    );
    expect(
      sources.map((source) => [addressOf(source), source.recipes.includes(book.share)]),
    ).toEqual([
      ['https://pictures.example/1.jpg', true],
      ['https://pictures.example/2.jpg', true],
      ['https://pictures.example/3.jpg', false],
    ]);
  });

  it('keeps dealers and addresses apart', () => {
    const sources = planSources(
      [
        vehicle('AB1', [image(1)]),
        vehicle('AB1', [image(1)], 2),
        vehicle('AB3', [image(1, 'https://pictures.example/moved.jpg')]),
      ],
      book,
    );
    expect(new Set(sources.map(({ key }) => key)).size).toBe(3);
  });
});

describe('nextStep', () => {
  const step = (change: Partial<Parameters<typeof nextStep>[1]>, of = source) =>
    nextStep(of, {
      entry,
      content,
      hasAll: (of, ends) => all.hasAll(of, ends),
      now: FIRST_NIGHT + DAY,
      revalidateAfter: 7 * DAY,
      ...change,
    });
  const [, ...others] = all;

  it.each([
    ['all is there', step({}), { kind: 'nothing' }],
    ['it was never seen', step({ entry: undefined }), { kind: 'download', because: 'new' }],
    [
      'its content is not known',
      step({ content: undefined }),
      { kind: 'download', because: 'new' },
    ],
    [
      'one output is gone',
      step({ hasAll: (of, ends) => new OutputNames(others).hasAll(of, ends) }),
      { kind: 'download', because: 'outputs-missing' },
    ],
    [
      'its vehicle was updated',
      step({}, { ...source, vehicleDate: '2026-03-02T00:00:00Z' }),
      { kind: 'revalidate', because: 'vehicle-updated' },
    ],
    [
      'it was not asked for long',
      step({ now: FIRST_NIGHT + 8 * DAY }),
      { kind: 'revalidate', because: 'due' },
    ],
  ])('when %s', (_, actual, expected) => {
    expect(actual).toEqual(expected);
  });
});

const keys = Array.from({ length: 2000 }, (_, index) => `1/${index} https://p.example/${index}`);

describe('isDue', () => {
  const due = (key: string, days: number) =>
    isDue(key, FIRST_NIGHT, FIRST_NIGHT + days * DAY, 7 * DAY);

  it('spreads pictures of one night over the second half of the time', () => {
    const perNight = [1, 2, 3, 4, 5, 6, 7].map(
      (day) => keys.filter((key) => due(key, day) && !due(key, day - 1)).length / keys.length,
    );
    expect(perNight.slice(0, 3)).toEqual([0, 0, 0]);
    expect(Math.max(...perNight)).toBeLessThan(0.35);
    expect(perNight.reduce((sum, share) => sum + share)).toBeCloseTo(1);
  });

  it('asks again when the clock was set back', () => {
    expect(due('1/1 https://p.example/1', -1)).toBe(true);
  });
});

describe('checkedAtEarliest', () => {
  const HOUR = DAY / 24;
  /** Longest time between two checks, of builds that know what the one before knew or only its list. */
  function longest(revalidateAfter: number, interval: number, forgets: (build: number) => boolean) {
    let most = 0;
    for (let source = 0; source < 60; source++) {
      const key = `1/${source} https://p.example/${source}`;
      let checked = FIRST_NIGHT + source * HOUR;
      let known = checked;
      for (let build = 1; build < 60; build++) {
        const now = FIRST_NIGHT + source * HOUR + build * interval;
        if (forgets(build)) known = checkedAtEarliest(key, now - interval, revalidateAfter);
        if (!isDue(key, known, now, revalidateAfter)) continue;
        most = Math.max(most, now - checked);
        checked = now;
        known = now;
      }
      most = Math.max(most, FIRST_NIGHT + source * HOUR + 59 * interval - checked);
    }
    return most;
  }

  it.each([
    [7 * DAY, DAY],
    [7 * DAY, HOUR],
    [7 * DAY, 5 * DAY],
    [7 * DAY, 9 * DAY],
    [2 * DAY, 7 * HOUR],
    [5 * HOUR, HOUR],
    [30 * DAY, DAY],
  ])('keeps checks within %i ms of builds every %i ms, whatever they remember', (after, every) => {
    for (const forgets of [
      () => true,
      () => false,
      (build: number) => build % 2 === 0,
      (build: number) => build % 5 === 3,
      (build: number) => build > 7,
    ]) {
      // A build can only notice when it runs: so one interval more.
      expect(longest(after, every, forgets)).toBeLessThanOrEqual(after + every);
    }
  });

  it('has only a part of the pictures asked for each night', () => {
    const nights = [1, 2, 3, 4, 5, 6].map((night) => {
      const now = FIRST_NIGHT + night * DAY;
      const due = keys.filter((key) =>
        isDue(key, checkedAtEarliest(key, now - DAY, 7 * DAY), now, 7 * DAY),
      );
      return due.length / keys.length;
    });
    expect(Math.max(...nights)).toBeLessThan(0.4);
    expect(Math.min(...nights)).toBeGreaterThan(0.25);
  });
});

describe('unplannedOutputs', () => {
  it('is what is there and not planned, of unknown pictures and of known ones', () => {
    const other = `ab/${'c'.repeat(18)}-320-abcdef.webp`;
    const former = `${[...all][0]?.slice(0, 21)}-64-abcdef.webp`;
    const existing = new OutputNames([...all, other, former]);
    const left = unplannedOutputs(existing, [source], () => ({ hash, ...content }));
    expect(left).toEqual(new Set([other, former]));
  });

  it('keeps what any of two sources with the same bytes plans', () => {
    const half = { ...source, key: 'half', recipes: source.recipes.slice(0, 1) };
    for (const sources of [
      [source, half],
      [half, source],
    ]) {
      expect(unplannedOutputs(all, sources, () => ({ hash, ...content })).size).toBe(0);
    }
    const left = unplannedOutputs(all, [half], () => ({ hash, ...content }));
    expect(left.size).toBe(all.size - 1);
  });

  it('is everything where no bytes are known', () => {
    expect(unplannedOutputs(all, [source], () => undefined)).toEqual(new Set(all));
  });
});
