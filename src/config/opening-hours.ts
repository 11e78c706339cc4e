import { z } from 'zod';

/** Two-letter days as schema.org writes them, in the order of ISO weeks: Monday is 1. */
const DAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'] as const;

type Day = (typeof DAYS)[number];

/** Minutes of a day. 1440 is its end. */
export type OpenTime = readonly [from: number, to: number];

/** Opening hours of seven days from Monday, each with its times in order. A day without times is closed. */
export type Week = readonly (readonly OpenTime[])[];

const TIME = /^ ?(\d{1,2}):(\d{2})-(\d{1,2}):(\d{2})$/;
const LINE = /^(Mo|Tu|We|Th|Fr|Sa|Su)(?:-(Mo|Tu|We|Th|Fr|Sa|Su))? (\d.+)$/;

/** `09:00-13:00,14:00-18:00` as minutes. Undefined if it is not valid. Times must be in order. */
export function parseTimes(text: string): OpenTime[] | undefined {
  const times: OpenTime[] = [];
  let last = -1;
  for (const part of text.split(',')) {
    const [, ...digits] = TIME.exec(part) ?? [];
    const [h1 = 99, m1 = 99, h2 = 99, m2 = 99] = digits.map(Number);
    const from = h1 * 60 + m1;
    const to = h2 * 60 + m2;
    if (m1 > 59 || m2 > 59 || to > 1440 || from <= last || to <= from) return undefined;
    times.push([from, to]);
    last = to;
  }
  return times;
}

/** Days and times of `Mo-Fr 09:00-18:00`. Monday is 0. Undefined if the line is not valid. */
function parseLine(text: string): { days: number[]; times: OpenTime[] } | undefined {
  const [, first = '', last = first, rest = ''] = LINE.exec(text) ?? [];
  const from = DAYS.indexOf(first as Day);
  const to = DAYS.indexOf(last as Day);
  const times = parseTimes(rest);
  if (from < 0 || to < from || !times) return undefined;
  return { days: Array.from({ length: to - from + 1 }, (_, index) => from + index), times };
}

const EXAMPLE = 'such as "Mo-Fr 09:00-18:00" or "Sa 09:00-13:00,14:00-16:00"';

const isDate = (text: string): boolean => z.iso.date().safeParse(text).success;

/** Opening hours of a dealer, in the dealer's time zone. */
export const openingHoursSchema = z.strictObject({
  week: z
    .array(
      z
        .string()
        .refine((line) => parseLine(line) !== undefined, `must be days and times ${EXAMPLE}`),
    )
    .min(1)
    .refine((lines) => {
      const days = lines.flatMap((line) => parseLine(line)?.days ?? []);
      return new Set(days).size === days.length;
    }, 'names a day twice. Put all its times into one entry, separated by commas')
    .describe(
      'Days with their times, such as "Mo-Fr 09:00-18:00". Other days are closed. Days are Mo, Tu, We, Th, Fr, Sa, Su.',
    ),
  exceptions: z
    .record(
      z.string(),
      z
        .string()
        .refine(
          (text) => text === 'closed' || parseTimes(text) !== undefined,
          'must be "closed" or times such as "09:00-12:00"',
        ),
    )
    .refine((days) => Object.keys(days).every(isDate), 'must be days such as "2026-12-24"')
    .default({})
    .describe(
      'Days with other times, such as { "2026-12-25": "closed", "2026-12-24": "09:00-12:00" }.',
    ),
});

export type OpeningHours = z.infer<typeof openingHoursSchema>;

/** Days with exceptional times, in order. A day without times is closed. */
export const exceptionsOf = ({ exceptions }: OpeningHours): [date: string, times: OpenTime[]][] =>
  Object.entries(exceptions)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([date, text]) => [date, parseTimes(text) ?? []]);

/** The times of each day of a week. */
export function weekOf({ week }: Pick<OpeningHours, 'week'>): Week {
  const days: OpenTime[][] = DAYS.map(() => []);
  for (const line of week) {
    const { days: weekdays = [], times = [] } = parseLine(line) ?? {};
    for (const day of weekdays) days[day]?.push(...times);
  }
  return days;
}
