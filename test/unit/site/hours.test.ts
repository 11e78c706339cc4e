import { readFileSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';

const CODE = readFileSync('templates/assets/hours.js', 'utf8');

const NINE = 9 * 60;
const DAY = [[NINE, 13 * 60] as const, [14 * 60, 18 * 60] as const];
const WEEK = [DAY, DAY, DAY, DAY, DAY, [[NINE, 13 * 60] as const], []];
const DAYS = { '2026-12-25': [], '2026-12-24': [[NINE, 12 * 60] as const] };

afterEach(() => {
  vi.useRealTimers();
});

/** The text that a visitor sees at a time, whether it is marked as open, and the hidden exceptions. */
function shownAt(now: string, { zone = 'Europe/London', week = WEEK as readonly object[] } = {}) {
  vi.useFakeTimers({ now: new Date(now), toFake: ['Date'] });
  const rows = Object.keys(DAYS).map((day) => ({ dataset: { day }, hidden: false }));
  let isOpen = false;
  const place = {
    dataset: {
      hours: JSON.stringify({ zone, lang: 'en-GB', week, days: DAYS }),
      open: 'until {time}',
      opens: 'opens {day} {time}',
      closed: 'closed',
    },
    hidden: true,
    textContent: '',
    classList: { toggle: (_: string, open: boolean) => (isOpen = open) },
    parentElement: { querySelectorAll: () => rows },
  };
  new Function('document', CODE)({ querySelectorAll: () => [place] });
  const hidden = rows.flatMap((row) => (row.hidden ? row.dataset.day : []));
  return { text: place.hidden ? '' : place.textContent, isOpen, hidden };
}

it.each([
  ['Monday before nine', '2026-03-02T08:59:00Z', 'opens  9:00'],
  ['Monday at nine', '2026-03-02T09:00:00Z', 'until 13:00'],
  ['the last minute', '2026-03-02T12:59:00Z', 'until 13:00'],
  ['lunch', '2026-03-02T13:00:00Z', 'opens  14:00'],
  ['the evening', '2026-03-02T18:00:00Z', 'opens Tuesday 9:00'],
  ['Saturday after one', '2026-03-07T13:00:00Z', 'opens Monday 9:00'],
  ['nine in summer', '2026-06-01T08:00:00Z', 'until 13:00'],
  ['the night in which summer begins', '2026-03-28T23:30:00Z', 'opens Monday 9:00'],
  ['a day with other times', '2026-12-24T12:00:00Z', 'opens Saturday 9:00'],
  ['a closed day', '2026-12-25T10:00:00Z', 'opens Saturday 9:00'],
])('a visitor sees the hours of today: %s', (_, now, text) => {
  expect(shownAt(now)).toMatchObject({ text, isOpen: text.startsWith('until') });
});

it('a dealer elsewhere has another day, and only exceptions of the next four weeks are shown', () => {
  const sunday = '2026-12-27T20:30:00Z';
  expect(shownAt(sunday, { zone: 'Pacific/Auckland' }).text).toBe('until 13:00');
  expect(shownAt(sunday).hidden).toEqual(['2026-12-25', '2026-12-24']);
  expect(shownAt('2026-12-25T00:00:00Z').hidden).toEqual(['2026-12-24']);
  expect(shownAt('2026-11-26T00:00:00Z').hidden).toEqual(['2026-12-25']);
  expect(shownAt(sunday, { week: WEEK.map(() => []) }).text).toBe('closed');
});
