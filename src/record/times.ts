import { z } from 'zod';
import { matchingJson } from '../lib/json.ts';

/** Name of the only file with times. All other files are the same for the same stock. */
export const TIMES = 'times.json';

const hash = z.string().regex(/^[A-Za-z0-9_-]{22}$/);
const mark = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

const entrySchema = z.strictObject({
  /** When a response of the dealer was last accepted, UTC. Unchanged responses also count. */
  confirmed: z.iso.datetime(),
  /** Hash of the dealer's record, see `writeRecord`. */
  record: hash,
  /** Hash of the list of its files, see `filesText`. */
  files: hash,
  /** See `markOf`. Missing if the key is too short. */
  mark: mark.optional(),
  /** See `listMarkOf`. Missing if the key is too short. */
  listMark: mark.optional(),
});

const timesSchema = z.strictObject({
  version: z.literal(1),
  dealers: z.record(z.string().regex(/^\d{1,16}$/), entrySchema),
  searched: z.string().max(100).optional(),
  first: z.iso.datetime().optional(),
});

/** Additional data in a file of times. */
export interface TimesNotes {
  /** Only in a cache: mark of the keys that the published files were searched for, see `SecretSearch.mark`. */
  searched?: string;
  /**
   * When the first build of these records ran, UTC, if it could not read a published site. Missing after a build
   * has read it.
   */
  first?: string;
}

/** When a dealer's response was confirmed, with the hash of its record. */
export type ConfirmedRecord = z.infer<typeof entrySchema>;

/** By dealer id. */
export type Times = ReadonlyMap<number, ConfirmedRecord>;

/** The file's text. It is the same for the same times. */
export function writeTimes(times: Times, { searched, first }: TimesNotes = {}): string {
  const dealers = Object.fromEntries([...times].sort(([a], [b]) => a - b));
  return `${JSON.stringify({ version: 1, dealers, searched, first }, null, 1)}\n`;
}

/** Reads the output of {@link writeTimes}. Undefined if it is damaged or has another version. */
export function readTimes(bytes: Uint8Array): (TimesNotes & { times: Times }) | undefined {
  const file = matchingJson(bytes, timesSchema);
  if (!file) return undefined;
  const { dealers, searched, first } = file;
  const times = new Map(Object.entries(dealers).map(([id, entry]) => [Number(id), entry]));
  return { times, searched, first };
}

/** When the newest response was accepted, UTC. 1970 if unknown. */
export const newestOf = (
  times: { values(): Iterable<{ confirmed: string }> } | undefined,
): string =>
  Array.from(times?.values() ?? [], ({ confirmed }) => confirmed)
    .sort()
    .at(-1) ?? new Date(0).toISOString();

/**
 * The latest time of a first build, of all dealers of a build. Null if the published site was read for any
 * dealer: dealers that are not on it are new.
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
