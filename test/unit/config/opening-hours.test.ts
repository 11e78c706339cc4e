import { describe, expect, it } from 'vitest';
import { openingHoursSchema, parseTimes, weekOf } from '../../../src/config/opening-hours.ts';

const problemsOf = (input: unknown): string[] => {
  const { error } = openingHoursSchema.safeParse(input);
  return error?.issues.map(({ message }) => message) ?? [];
};

describe('opening hours', () => {
  it('are days with their times, and unlisted days are closed', () => {
    const week = weekOf({ week: ['Mo-We 09:00-18:00', 'Sa 9:00-13:00, 14:00-16:30'] });
    const long = [[540, 1080]];
    expect(week).toEqual([
      long,
      long,
      long,
      [],
      [],
      [
        [540, 780],
        [840, 990],
      ],
      [],
    ]);
  });

  it('end at midnight at the latest', () => {
    expect(parseTimes('00:00-24:00')).toEqual([[0, 1440]]);
    for (const text of [
      '09:00-24:01',
      '9-18',
      '09:60-10:00',
      '09:00-17:60',
      '18:00-09:00',
      '09:00',
      '',
    ]) {
      expect(parseTimes(text)).toBeUndefined();
    }
  });

  it('are in chronological order without overlaps', () => {
    expect(parseTimes('14:00-16:00,09:00-12:00')).toBeUndefined();
    expect(parseTimes('09:00-14:00,13:00-16:00')).toBeUndefined();
    expect(parseTimes('09:00-12:00,12:00-16:00')).toBeUndefined();
  });

  it.each([
    ['Mon-Fri 09:00-18:00', 'must be days and times'],
    ['Fr-Mo 09:00-18:00', 'must be days and times'],
  ])('with %s are refused', (line, message) => {
    expect(problemsOf({ week: [line] }).join()).toContain(message);
  });

  it('list each day once', () => {
    const week = ['Mo-Fr 09:00-12:00', 'We 14:00-18:00'];
    expect(problemsOf({ week }).join()).toContain('names a day twice');
  });

  it.each([
    ['2026-02-30', 'closed', 'must be days such as'],
    ['2026-12-24', 'shut', 'must be "closed"'],
    ['2026-12-24', '09:00-08:00', 'must be "closed"'],
  ])('have no exception %s: %s', (day, text, message) => {
    const problems = problemsOf({ week: ['Mo 09:00-18:00'], exceptions: { [day]: text } });
    expect(JSON.stringify(problems)).toContain(message.replaceAll('"', '\\"'));
  });

  it('may have an exception for a day', () => {
    const exceptions = { '2028-02-29': '09:00-12:00', '2026-12-25': 'closed' };
    expect(problemsOf({ week: ['Mo 09:00-18:00'], exceptions })).toEqual([]);
  });
});
