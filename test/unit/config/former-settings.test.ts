import { describe, expect, it } from 'vitest';
import { became, CHANGES, type Change, stillWorks } from '../../../src/config/changes.ts';
import { formerSettings, withNewNames } from '../../../src/config/former-settings.ts';

const change = (from: string, to?: string): Change => ({
  kind: 'setting',
  from,
  ...(to !== undefined && { to }),
  since: '2.0.0',
  until: '3.0.0',
});

const all = (changes: Change[]) => ({ changes, isAccepted: () => true });

it.each([
  ['2.9.9', true],
  ['3.0.0-beta.1', false],
  ['3.0.0', false],
  ['3.1.0', false],
  ['10.0.0', false],
])('a former name that goes with 3.0.0 works in %s: %s', (version, works) => {
  expect(stillWorks(change('a'), version)).toBe(works);
});

it('says what became of a name', () => {
  expect(became(change('a', 'b.c'))).toBe('is now b.c (since 2.0.0)');
  expect(became({ ...change('a'), note: 'All do.' })).toBe('is gone (since 2.0.0). All do.');
});

it('every change names versions, and a name that is replaced is in the table once', () => {
  for (const { since, until } of CHANGES) {
    for (const version of [since, until]) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(since.localeCompare(until, 'en', { numeric: true })).toBeLessThanOrEqual(0);
    // Before 1.0.0 nothing is promised; from then on a former name works for one major version.
    const [major = 0, minor = 0, patch = 0] = since.split('.').map(Number);
    if (major === 0) continue;
    expect(until).toMatch(/^\d+\.0\.0$/);
    expect(parseInt(until, 10)).toBeGreaterThan(minor + patch === 0 ? major : major + 1);
  }
  const names = CHANGES.map(({ kind, from }) => `${kind} ${from}`);
  expect(new Set(names).size).toBe(names.length);
});

describe('settings', () => {
  const raw = {
    site: { title: 'T', colour: 'red' },
    dealers: [{ id: 1 }, { id: 2, hue: 'blue', brand: { x: 1 } }],
  };
  const changes = [
    change('site.colour', 'brand.colour'),
    change('dealers[].hue', 'dealers[].brand.colour'),
    change('site.nothing', 'site.title'),
  ];

  it('are found under their former names, in lists too', () => {
    expect(formerSettings(raw, changes).map(({ path, newPath }) => [path, newPath])).toEqual([
      ['site.colour', 'brand.colour'],
      ['dealers[1].hue', 'dealers[1].brand.colour'],
    ]);
    for (const odd of [undefined, null, [], 'x', { site: 1, dealers: {} }, { dealers: [null] }]) {
      expect(formerSettings(odd, changes)).toEqual([]);
      expect(withNewNames(odd, all(changes)).value).toEqual(odd);
    }
  });

  it('are taken under their new names; what was written stays as it was', () => {
    const before = structuredClone(raw);
    const { value, taken } = withNewNames(raw, all(changes));
    expect(value).toEqual({
      site: { title: 'T' },
      brand: { colour: 'red' },
      dealers: [{ id: 1 }, { id: 2, brand: { x: 1, colour: 'blue' } }],
    });
    expect(taken).toHaveLength(2);
    expect(raw).toEqual(before);
  });

  it('stay for the schema to refuse: where the new name says something, or the former one is gone', () => {
    const both = { site: { colour: 'red' }, brand: { colour: 'green' } };
    expect(withNewNames(both, all(changes))).toEqual({ value: both, taken: [] });
    expect(withNewNames(raw, { changes, isAccepted: () => false })).toEqual({
      value: raw,
      taken: [],
    });
  });

  it('that are gone are dropped while that is no error', () => {
    expect(withNewNames({ site: { old: 1, title: 'T' } }, all([change('site.old')])).value).toEqual(
      {
        site: { title: 'T' },
      },
    );
  });
});
