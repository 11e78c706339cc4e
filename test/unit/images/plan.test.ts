import { describe, expect, it } from 'vitest';
import { isDue, planSources, sourceKey } from '../../../src/images/plan.ts';
import { recipeBook } from '../../../src/images/recipe-book.ts';
import { DAY, FIRST_NIGHT, mediaConfig } from '../../support/image-pipeline.ts';
import { pictureOf as image, vehicleOf as vehicle } from '../../support/vehicle.ts';

const book = recipeBook(mediaConfig());

describe('planSources', () => {
  it('lists each source once, with the outputs of a cover if it is one anywhere', () => {
    const sources = planSources(
      [vehicle('AB1', [image(1), image(2), image(2)]), vehicle('AB2', [image(2), image(3)])],
      book,
    );
    expect(sources.map(({ url, recipes }) => [url, recipes === book.cover])).toEqual([
      ['https://pictures.example/1.jpg', true],
      ['https://pictures.example/2.jpg', true],
      ['https://pictures.example/3.jpg', false],
    ]);
  });

  it('makes the outputs of a cover from a picture, not from the still of a video before it', () => {
    const film = { kind: 'video' as const, id: 9, label: '', playerUrl: 'https://v.example/9' };
    const still = 'https://pictures.example/still.jpg';
    const sources = planSources([vehicle('AB1', [film, image(1)])], book, () => still);
    expect(sources.map(({ recipes }) => recipes === book.cover)).toEqual([false, true]);
  });

  it('identifies a picture by its hash if its URL is unknown', () => {
    const [known] = planSources([vehicle('AB1', [image(1)])], book);
    const source = known?.key.slice(-11) ?? '';
    expect(sourceKey(7, { id: 1, source })).toBe(known?.key);
  });
});

const keys = Array.from({ length: 2000 }, (_, index) => `1/${index} AAAAAAAAAAA`);
const HOUR = DAY / 24;

describe('isDue', () => {
  const due = (key: string, from: number | undefined, to: number) =>
    isDue(
      key,
      from === undefined ? undefined : FIRST_NIGHT + from * DAY,
      FIRST_NIGHT + to * DAY,
      7 * DAY,
    );

  it('schedules each picture once per period, spread over its nights', () => {
    const nights = [1, 2, 3, 4, 5, 6, 7].map((night) =>
      keys.filter((key) => due(key, night - 1, night)),
    );
    for (const night of nights) {
      expect(night.length / keys.length).toBeGreaterThan(0.1);
      expect(night.length / keys.length).toBeLessThan(0.2);
    }
    expect(nights.flat().sort()).toEqual([...keys].sort());
  });

  it('checks nothing twice a day, on any disk', () => {
    expect(keys.filter((key) => due(key, 3 + 1 / 24, 3 + 20 / 24))).toEqual([]);
  });

  it('checks everything if the last check is unknown or the clock was set back', () => {
    expect(keys.every((key) => due(key, undefined, 0) && due(key, 1, 0))).toBe(true);
    expect(isDue('1/1 AAAAAAAAAAA', FIRST_NIGHT, FIRST_NIGHT, 0)).toBe(true);
  });

  it.each([
    [7 * DAY, DAY],
    [7 * DAY, HOUR],
    [7 * DAY, 5 * DAY],
    [7 * DAY, 9 * DAY],
    [2 * DAY, 7 * HOUR],
    [5 * HOUR, HOUR],
    [30 * DAY, DAY],
  ])('keeps checks within %i ms of builds every %i ms', (after, every) => {
    let longest = 0;
    for (const key of keys.slice(0, 60)) {
      let checked = FIRST_NIGHT;
      for (let now = FIRST_NIGHT + every; now < FIRST_NIGHT + 60 * every; now += every) {
        if (!isDue(key, now - every, now, after)) continue;
        longest = Math.max(longest, now - checked);
        checked = now;
      }
    }
    // A build can only notice it when it runs, so one interval later.
    expect(longest).toBeLessThanOrEqual(after + every);
  });
});
