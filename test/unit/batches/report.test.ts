import { expect, test } from 'vitest';
import { fold } from '../../../src/batches/report/fold.ts';
import { weeksOf } from '../../../src/batches/report/weeks.ts';
import type { AccountStatus } from '../../../src/batches/store/status.ts';

const group = (label: string, sent: number, watched = 1) => ({ label, sent, watched });

test('small groups become one, and are left out where even together they are small', () => {
  expect(fold([group('a', 9), group('b', 30), group('c', 4)])).toEqual([
    group('b', 30),
    group('All others (2)', 13, 2),
  ]);
  expect(fold([group('a', 5), group('b', 30), group('c', 4)])).toEqual([group('b', 30)]);
  expect(
    fold(Array.from({ length: 20 }, (_, index) => group(`g${index}`, 100 - index))),
  ).toHaveLength(13);
});

test('weeks are whole: not the one that goes on, not the one in which the history begins', () => {
  const status = {
    coveredFrom: '2026-02-04T12:00:00.000Z',
    holes: [
      {
        from: '2026-02-18T00:00:00.000Z',
        until: '2026-02-19T00:00:00.000Z',
        reason: '',
        filled: null,
      },
    ],
  } as unknown as AccountStatus;
  const counted = [
    { monday: '2026-02-02', created: 9, sent: 9, watched: 9 },
    { monday: '2026-02-09', created: 3, sent: 2, watched: 1 },
    { monday: '2026-03-02', created: 7, sent: 7, watched: 7 },
  ];
  expect(weeksOf(counted, [status], '2026-03-04T06:00:00.000Z')).toEqual([
    { monday: '2026-02-09', created: 3, sent: 2, watched: 1, hole: false },
    { monday: '2026-02-16', created: 0, sent: 0, watched: 0, hole: true },
    { monday: '2026-02-23', created: 0, sent: 0, watched: 0, hole: false },
  ]);
});
