import { z } from 'zod';

/** Name of the one file that contains times. All others are the same for the same stock. */
export const TIMES = 'times.json';

const hash = z.string().regex(/^[A-Za-z0-9_-]{22}$/);

const entrySchema = z.strictObject({
  /** When an answer of the dealer was accepted last, UTC, including one that was the same as before. */
  confirmed: z.iso.datetime(),
  /** Hash of the dealer's record, see `writeRecord`. */
  record: hash,
  /** Hash of the list of its files, see `filesText`. */
  files: hash,
  /** See `markOf`. Absent where the key is too short. */
  mark: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/)
    .optional(),
  /** See `listMarkOf`. Absent where the key is too short. */
  listMark: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/)
    .optional(),
});

const timesSchema = z.strictObject({
  version: z.literal(1),
  dealers: z.record(z.string().regex(/^\d{1,16}$/), entrySchema),
  searched: z.string().max(100).optional(),
  first: z.iso.datetime().optional(),
});

/** What a file of times holds besides the times. */
export interface TimesNotes {
  /** In a cache only: which keys the published files were searched for, see `SecretSearch.mark`. */
  searched?: string | undefined;
  /**
   * When the first build of these records ran, UTC, if it could not read a published site. Absent once a
   * build has read it.
   */
  first?: string | undefined;
}

/** When a dealer's answer was confirmed, with the hash of its record. */
export type ConfirmedRecord = z.infer<typeof entrySchema>;

/** By dealer id. */
export type Times = ReadonlyMap<number, ConfirmedRecord>;

/** The file's text, the same for the same times. */
export function writeTimes(times: Times, { searched, first }: TimesNotes = {}): string {
  const dealers = Object.fromEntries([...times].sort(([a], [b]) => a - b));
  return `${JSON.stringify({ version: 1, dealers, searched, first }, null, 1)}\n`;
}

/** Reads what {@link writeTimes} wrote. Undefined where it is damaged or of another version. */
export function readTimes(bytes: Uint8Array): (TimesNotes & { times: Times }) | undefined {
  try {
    const text = Buffer.from(bytes).toString('utf8');
    const { dealers, searched, first } = timesSchema.parse(JSON.parse(text));
    const times = new Map(Object.entries(dealers).map(([id, entry]) => [Number(id), entry]));
    return { times, searched, first };
  } catch {
    return undefined;
  }
}

/** When the newest answer was accepted, UTC; 1970 where that is not known. */
export const newestOf = (
  times: { values(): Iterable<{ confirmed: string }> } | undefined,
): string =>
  Array.from(times?.values() ?? [], ({ confirmed }) => confirmed)
    .sort()
    .at(-1) ?? new Date(0).toISOString();

/**
 * The latest of the times of first builds, for all dealers of a build. Null if the published site was read
 * for any of them: a new dealer is not on a published site, so its build overlooked nothing.
 */
export const latestFirst = (
  times: readonly (string | null | undefined)[],
): string | null | undefined =>
  times.includes(null)
    ? null
    : times
        .flatMap((time) => time ?? [])
        .sort()
        .at(-1);
