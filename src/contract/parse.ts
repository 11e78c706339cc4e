import type { z } from 'zod';
import { PLAIN } from '../lib/plain-issue.ts';
import { type BatchRecord, batchRecordSchema } from './batch.ts';
import { batchAliases, type FieldNames, mediaItemAliases, renameFields } from './field-names.ts';
import {
  type MediaItem,
  mediaItemSchema,
  toUtc,
  type VehicleMediaRecord,
  vehicleRecordShellSchema,
} from './media.ts';

/** A record or media item that breaks the contract. It is not used, but counted and reported. */
export interface Quarantined {
  /** Stable code: `contract-` and zod's issue code, such as `contract-invalid_type`. */
  code: string;
  /** Position in the response, such as `[3].mediaList[0].id`. */
  path: string;
  /** The requirement of the contract. Never contains a value of the response. */
  message: string;
}

/** Counts of one level of a response. Always `accepted + quarantined = received`. */
export interface Parsed<T> {
  received: number;
  accepted: T[];
  quarantined: Quarantined[];
}

interface ParsedVehicles extends Parsed<VehicleMediaRecord> {
  items: { received: number; accepted: number; quarantined: Quarantined[] };
  /** Readable plates of quarantined records. */
  quarantinedVrms: string[];
  /** Ids, as text, of quarantined items, and of all items in records without a readable plate. */
  quarantinedIds: Set<string>;
  /** Number of occurrences of each field outside the contract, by the service's name. */
  unknownFields: Record<string, number>;
}

/** The path of an issue as text: `dealers[0].id`. */
export const pathOf = (prefix: string, path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, key) => text + (typeof key === 'number' ? `[${key}]` : `${text && '.'}${String(key)}`),
    prefix,
  );

function quarantine(error: z.ZodError, prefix: string): Quarantined {
  const [issue] = error.issues;
  return {
    code: `contract-${issue?.code ?? 'custom'}`,
    path: pathOf(prefix, issue?.path ?? []),
    message: issue?.message ?? 'does not fit the contract',
  };
}

/** Maximum number of reported names of unknown fields, and their length. The service chooses the names. */
const MAX_NAMES = 100;
const LONGEST_NAME = 80;
/** Counts all other names together. */
const OTHER_NAMES = '(others)';

/** Counts an occurrence of a name. The number of names is limited, because a response may have any number. */
export function countName(counts: Map<string, number>, name: string): void {
  const short = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
  const key = counts.has(short) || counts.size < MAX_NAMES ? short : OTHER_NAMES;
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function countUnknown(
  counts: Map<string, number>,
  record: object,
  shape: object,
  prefix: string,
): void {
  for (const key of Object.keys(record)) {
    if (Object.hasOwn(shape, key)) continue;
    countName(counts, prefix + key);
  }
}

const { vrm: vrmSchema } = vehicleRecordShellSchema.shape;

const sorted = (counts: Map<string, number>): Record<string, number> =>
  Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * The array of a GetMediaByDealer response as records (interface 2.1, 2.2). Timestamps are converted to
 * one form. The caller has checked that the body is an array.
 */
export function parseVehicles(body: readonly unknown[], names: FieldNames): ParsedVehicles {
  const aliases = mediaItemAliases(names);
  const unknown = new Map<string, number>();
  const result: ParsedVehicles = {
    received: body.length,
    accepted: [],
    quarantined: [],
    items: { received: 0, accepted: 0, quarantined: [] },
    quarantinedVrms: [],
    quarantinedIds: new Set(),
    unknownFields: {},
  };
  const addId = (item: unknown) => {
    const { id } = Object(item);
    // Not all objects can be converted to text.
    if (typeof id !== 'object') result.quarantinedIds.add(String(id));
  };
  for (const [index, raw] of body.entries()) {
    const shell = vehicleRecordShellSchema.safeParse(raw, PLAIN);
    if (!shell.success) {
      result.quarantined.push(quarantine(shell.error, `[${index}]`));
      const { vrm, mediaList } = Object(raw);
      if (vrmSchema.safeParse(vrm).success) result.quarantinedVrms.push(vrm);
      else if (Array.isArray(mediaList)) mediaList.forEach(addId);
      continue;
    }
    countUnknown(unknown, shell.data, vehicleRecordShellSchema.shape, '');
    const mediaList: MediaItem[] = [];
    for (const [position, rawItem] of shell.data.mediaList.entries()) {
      result.items.received++;
      const item = mediaItemSchema.safeParse(renameFields(rawItem, aliases), PLAIN);
      if (!item.success) {
        result.items.quarantined.push(quarantine(item.error, `[${index}].mediaList[${position}]`));
        addId(rawItem);
        continue;
      }
      result.items.accepted++;
      countUnknown(unknown, item.data, mediaItemSchema.shape, 'mediaList[].');
      mediaList.push(item.data);
    }
    result.accepted.push({
      ...shell.data,
      dateUpdated: toUtc(shell.data.dateUpdated),
      mediaList,
    });
  }
  result.unknownFields = sorted(unknown);
  return result;
}

/** The array of a MyVideos response as records (interface 2.3). Values remain unchanged. */
export function parseBatches(body: readonly unknown[], names: FieldNames): Parsed<BatchRecord> {
  const aliases = batchAliases(names);
  const result: Parsed<BatchRecord> = { received: body.length, accepted: [], quarantined: [] };
  for (const [index, raw] of body.entries()) {
    const record = batchRecordSchema.safeParse(renameFields(raw, aliases), PLAIN);
    if (!record.success) {
      result.quarantined.push(quarantine(record.error, `[${index}]`));
      continue;
    }
    result.accepted.push(record.data);
  }
  return result;
}
