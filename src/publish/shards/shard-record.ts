import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Secret } from '../../config/secret.ts';
import { GateError } from '../../errors.ts';
import { withChecksum, withoutChecksum } from '../../lib/files/checksum.ts';
import type { WireChunk } from '../chunk/wire.ts';
import { SHARD_RECORD } from '../options/shard.ts';

/** Raised together with any change of the form. */
const VERSION = 5;

/** Record of a shard, for the merge. */
export interface ShardRecord {
  version: number;
  number: number;
  count: number;
  run: string;
  /** Hash of the program, templates, words and configuration that the pages were made with. */
  siteKey: string;
  /** When its build began, UTC. */
  startedAt: string;
  notes: readonly string[];
  /** Its built chunks of dealers, in the form sent between processes. */
  batches: WireChunk[];
}

/**
 * The text that {@link readShardRecord} reads. It leaves the machine, and what the service answered may be
 * quoted in it, so keys are taken out of it as out of `build-report.json`.
 */
export function writeShardRecord(
  { batches, ...rest }: Omit<ShardRecord, 'version'>,
  secrets: readonly Secret[],
): string {
  // Dealers often share a key.
  const keys = [...new Map(secrets.map((secret) => [secret.forms().join(), secret])).values()];
  const redacted = <T>(value: T): T =>
    JSON.parse(
      JSON.stringify(value, (_, inner: unknown) =>
        typeof inner === 'string' ? keys.reduce((text, key) => key.redact(text), inner) : inner,
      ),
    );
  const safe = batches.map(({ fingerprints, made, outputs: _, unpublished: __, ...chunk }) => ({
    ...redacted(chunk),
    // The merge needs only names and fingerprints of thumbnails.
    ...{ fingerprints, outputs: [], unpublished: [] },
    ...(made && { made: { ...redacted(made), records: made.records, kept: [] } }),
  }));
  const record: ShardRecord = { version: VERSION, ...redacted(rest), batches: safe };
  return withChecksum(JSON.stringify(record));
}

/** @throws {GateError} the folder is no shard of a site, or a torn one. */
export function readShardRecord(folder: string): ShardRecord {
  let text: string;
  try {
    text = readFileSync(path.join(folder, SHARD_RECORD), 'utf8');
  } catch (cause) {
    throw wrong(folder, `It has no ${SHARD_RECORD}.`, cause);
  }
  const body = withoutChecksum(text);
  if (body === undefined) throw wrong(folder, `Its ${SHARD_RECORD} is damaged.`);
  const record: ShardRecord = JSON.parse(body);
  if (record.version !== VERSION) throw wrong(folder, 'Another version of this program made it.');
  return record;
}

function wrong(folder: string, why: string, cause?: unknown): GateError {
  return new GateError({
    code: 'shard-unusable',
    what: `${folder} is no part of a site.`,
    why,
    fix: 'Name the output folders of npm run build -- --shard, whole and as they were made.',
    cause,
  });
}
