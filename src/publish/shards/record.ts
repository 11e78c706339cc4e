import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Secret } from '../../config/secret.ts';
import { GateError } from '../../errors.ts';
import { withChecksum, withoutChecksum } from '../../files/checksum.ts';
import type { DealerSummary } from '../../site/entry.ts';
import type { PictureLoss } from '../gates.ts';
import type { BuildReport } from '../report.ts';
import type { OutwardLink } from '../verify/verify.ts';

/** Raised together with any change of the form. */
const VERSION = 4;

/** Lies beside a part's pages, and is not published. */
export const RECORD = 'shard.json';

/** What a part says of itself. */
export interface ShardRecord {
  version: number;
  number: number;
  count: number;
  run: string;
  /** Hash of the program, templates, words and configuration that the pages were made with. */
  siteKey: string;
  dealers: {
    id: number;
    /** Undefined where the dealer had nothing to stand on. */
    summary: DealerSummary | undefined;
  }[];
  /** Its thumbnails as they were made, see `fingerprintOf`. */
  thumbnails: [name: string, fingerprint: string][];
  loss: PictureLoss;
  /** See `speaksOfBatches`. */
  personalWords: 'anywhere' | 'as-keys';
  /** Files that its pages link to and that are not its own. */
  links: [target: string, OutwardLink][];
  report: BuildReport;
}

/**
 * The text that {@link readRecord} reads. It leaves the machine, and a report may quote what the
 * service answered, so keys are taken out of it as out of `build-report.json`.
 */
export function writeRecord(
  { thumbnails, ...rest }: Omit<ShardRecord, 'version'>,
  secrets: readonly Secret[],
): string {
  // Dealers often share a key.
  const keys = [...new Map(secrets.map((secret) => [secret.forms().join(), secret])).values()];
  const safe: typeof rest = JSON.parse(
    JSON.stringify(rest, (_, value: unknown) =>
      typeof value === 'string' ? keys.reduce((text, key) => key.redact(text), value) : value,
    ),
  );
  return withChecksum(
    JSON.stringify({ version: VERSION, ...safe, thumbnails } satisfies ShardRecord),
  );
}

/** @throws {GateError} the folder is no part of a site, or a torn one. */
export function readRecord(folder: string): ShardRecord {
  let text: string;
  try {
    text = readFileSync(path.join(folder, RECORD), 'utf8');
  } catch (cause) {
    throw wrong(folder, `It has no ${RECORD}.`, cause);
  }
  const body = withoutChecksum(text);
  if (body === undefined) throw wrong(folder, `Its ${RECORD} is damaged.`);
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
