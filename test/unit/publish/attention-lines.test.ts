import { expect, it } from 'vitest';
import {
  attentionLines,
  joinDealers,
  warningsOf,
} from '../../../src/publish/report/attention-lines.ts';

const dealers = Array.from({ length: 40 }, (_, id) => ({ id, name: `Motors ${id}` })) as never[];

const entry = (dealer: number, change: object = {}) => ({
  dealer,
  code: 'stock-not-compared',
  what: `Dealer ${dealer} (Motors ${dealer}): the live site could not be read.`,
  fix: 'Build with --first.',
  ...change,
});

const all = dealers.map((_, id) => entry(id));

it('joins entries of all dealers with one cause', () => {
  const text = '40 dealers (all): the live site could not be read.';
  expect(warningsOf(all, dealers)).toEqual([`${text} Build with --first.`]);
  expect(attentionLines(all, dealers)).toHaveLength(3);
  expect(joinDealers(all, dealers)).toEqual([{ ...all[0], dealer: undefined, what: text }]);
  const [{ what } = {}] = joinDealers(all.slice(1), dealers);
  expect(what).toMatch(/^39 dealers \(Motors 1, Motors 2, Motors 3 and 36 more\): /);
});

it('joins dealers within a sentence', () => {
  const down = [1, 2].map((id) =>
    entry(id, { what: `No response for dealer ${id} (Motors ${id}).`, why: 'It was refused.' }),
  );
  expect(warningsOf(down, dealers)).toEqual([
    'No response for 2 dealers (Motors 1, Motors 2). It was refused. Build with --first.',
  ]);
});

it('keeps causes apart, and writes one line for each fix', () => {
  const different = all.map((one, index) => ({ ...one, why: `Reason ${index}.` }));
  expect(joinDealers(different, dealers)).toEqual(different);
  const [line = '', ...others] = warningsOf(different, dealers);
  expect(others).toEqual([]);
  expect(line).toContain('Reason 2. And 37 more like these. Build with --first.');
  const withoutFix = different.map(({ fix: _, ...one }) => one);
  expect(warningsOf(withoutFix, dealers)).toHaveLength(40);
});
