import { describe, expect, it } from 'vitest';
import {
  isPassing,
  parseRetryAfter,
  pauseBeforeRetry,
  waitOf,
} from '../../../src/lib/http/retry.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

describe('retry timing', () => {
  it.each([
    [null, undefined],
    ['7', 7000],
    [' 7 ', 7000],
    ['7s', undefined],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Thu, 01 Jan 2025 00:00:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
  ])('Retry-After %s is %s ms', (header, expected) => {
    const value = parseRetryAfter(header, now);
    if (header === '-5') expect(value === undefined || value >= 0).toBe(true);
    else expect(value).toBe(expected);
  });

  it.each<[Record<string, string>, number | undefined]>([
    [{}, undefined],
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '7', 'x-ratelimit-reset': '9' }, 7000],
    [{ 'retry-after': 'soon', 'x-ratelimit-reset': '9' }, 9000],
    [{ 'x-ratelimit-reset': ' 40 ' }, 40_000],
    [{ 'x-ratelimit-reset': '1000000000' }, 1e12],
    [{ 'x-ratelimit-reset': String(now / 1000 + 40) }, 40_000],
    [{ 'x-ratelimit-reset': String(now / 1000 - 40) }, 0],
    [{ 'x-ratelimit-reset': 'soon' }, undefined],
    [{ 'x-ratelimit-reset': '4s' }, undefined],
    [{ 'x-ratelimit-reset': 's4' }, undefined],
  ])('headers %j ask to wait %s ms', (headers, wait) => {
    expect(waitOf(new Headers(headers), now)).toBe(wait);
  });

  it('backs off with jitter, up to a ceiling', () => {
    const pause = (attempt: number, random: number) =>
      pauseBeforeRetry({ attempt, random, maxRetryAfter: 1000 });
    expect(pause(1, 0)).toBe(125);
    expect(pause(1, 1)).toBe(500);
    expect(pause(3, 1)).toBe(2000);
    expect(pause(30, 1)).toBe(20_000);
  });

  it("follows the service's advice up to the cap, and gives up beyond", () => {
    const base = { attempt: 1, random: 0.5, maxRetryAfter: 5000 };
    expect(pauseBeforeRetry({ ...base, retryAfter: 4000 })).toBe(4000);
    expect(pauseBeforeRetry({ ...base, retryAfter: 5000 })).toBe(5000);
    expect(pauseBeforeRetry({ ...base, retryAfter: 6000 })).toBeUndefined();
  });

  it.each([
    [408, true],
    [429, true],
    [500, true],
    [503, true],
    [401, false],
    [403, false],
    [404, false],
    [200, false],
  ])('status %i is passing: %s', (status, passing) => {
    expect(isPassing(status)).toBe(passing);
  });
});
