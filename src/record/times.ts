import { z } from 'zod';

/** Name of the one file that contains times; all others are the same for the same stock. */
export const TIMES = 'times.json';

const hash = z.string().regex(/^[A-Za-z0-9_-]{22}$/);

const entrySchema = z.strictObject({
  /** When an answer of the dealer was accepted last, UTC, including one that was the same as before. */
  confirmed: z.iso.datetime(),
  /** Hash of the dealer's record, see `writeRecord`. */
  record: hash,
  /** Hash of the list of its files, see `filesText`. */
  files: hash,
  /** See `markOf`; absent where the key is too short. */
  mark: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/)
    .optional(),
  /** See `listMarkOf`; absent where the key is too short. */
  listMark: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/)
    .optional(),
});

const timesSchema = z.strictObject({
  version: z.literal(1),
  dealers: z.record(z.string().regex(/^\d{1,16}$/), entrySchema),
  /** In a cache only: which keys the published files were searched for, see `SecretSearch.mark`. */
  searched: z.string().max(100).optional(),
});

/** When a dealer's answer was confirmed, with the hash of its record. */
export type ConfirmedRecord = z.infer<typeof entrySchema>;

/** By dealer id. */
export type Times = ReadonlyMap<number, ConfirmedRecord>;

/** The file's text, the same for the same times. */
export function writeTimes(times: Times, searched?: string): string {
  const dealers = Object.fromEntries([...times].sort(([a], [b]) => a - b));
  return `${JSON.stringify({ version: 1, dealers, searched }, null, 1)}\n`;
}

/** Reads what {@link writeTimes} wrote; undefined where it is damaged or of another version. */
export function readTimes(bytes: Uint8Array): Times | undefined {
  const dealers = parse(bytes)?.dealers;
  return dealers && new Map(Object.entries(dealers).map(([id, entry]) => [Number(id), entry]));
}

/** Which keys the last published files were searched for. */
export const searchedIn = (bytes: Uint8Array): string | undefined => parse(bytes)?.searched;

function parse(bytes: Uint8Array): z.infer<typeof timesSchema> | undefined {
  try {
    return timesSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch {
    return undefined;
  }
}
