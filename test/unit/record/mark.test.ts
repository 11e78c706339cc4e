import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import {
  isListMarked,
  isMarkable,
  isMarked,
  listMarkOf,
  markOf,
} from '../../../src/record/mark.ts';
import { KEY, MONDAY, OTHER_KEY, SITE, TUESDAY } from '../../support/dealer-records.ts';

describe('a mark', () => {
  const about = {
    site: SITE,
    dealer: 7,
    record: 'r'.repeat(22),
    files: 'f'.repeat(22),
    confirmed: MONDAY,
  };

  const list = { site: SITE, dealer: 7, files: 'f'.repeat(22), searched: 'these' };

  it('of a list fits what it was made for alone', () => {
    const mark = listMarkOf(KEY, list);
    expect(isListMarked(KEY, list, mark)).toBe(true);
    for (const change of [{ site: 'x' }, { dealer: 8 }, { files: 'x' }, { searched: 'x' }]) {
      expect(isListMarked(KEY, { ...list, ...change }, mark)).toBe(false);
    }
    expect(isListMarked(OTHER_KEY, list, mark)).toBe(false);
    // Neither stands for the other.
    expect(isListMarked(KEY, list, markOf(KEY, about))).toBe(false);
  });

  it('fits what it was made for alone', () => {
    const mark = markOf(KEY, about);
    expect(isMarked(KEY, about, mark)).toBe(true);
    expect(isMarked(OTHER_KEY, about, mark)).toBe(false);
    for (const change of [
      { site: 'x' },
      { dealer: 8 },
      { record: 'x' },
      { files: 'x' },
      { confirmed: TUESDAY },
    ]) {
      expect(isMarked(KEY, { ...about, ...change }, mark)).toBe(false);
    }
    for (const wrong of [undefined, '', 'x', mark?.slice(1), `${mark?.slice(0, -1)}_x`]) {
      expect(isMarked(KEY, about, wrong)).toBe(false);
    }
  });

  it('holds nothing of the key, and is not made with one that could be guessed', () => {
    expect(KEY.occursIn(String(markOf(KEY, about)))).toBe(false);
    expect(KEY.occursIn(String(listMarkOf(KEY, list)))).toBe(false);
    for (const text of [
      '',
      'secret',
      'demo-key-of-a-dealer',
      '1234-5678-9012-3456-7890',
      'a'.repeat(36),
    ]) {
      expect(isMarkable(new Secret(text))).toBe(false);
      expect(markOf(new Secret(text), about)).toBeUndefined();
      expect(isMarked(new Secret(text), about, undefined)).toBe(false);
      expect(isListMarked(new Secret(text), list, listMarkOf(KEY, list))).toBe(false);
    }
  });
});
