import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { BatchRecord } from '../../contract/batch.ts';
import type { Quarantined } from '../../contract/parse.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { sha256 } from '../model/canonical.ts';
import type { DriftFinding } from '../model/drift.ts';
import { COUNT_FIELDS } from '../model/fields.ts';
import { withoutPerson } from '../model/persons.ts';
import { type PreparedRecord, prepare, scrubBatch, VersionWriter } from '../store/versions.ts';

export interface Applied {
  inserted: number;
  changed: number;
  unchanged: number;
  /** Left alone because a later pull has already seen the batch. */
  outdated: number;
  /** Stored without the person, who was erased. */
  scrubbed: number;
  findings: DriftFinding[];
}

export interface ApplyOptions {
  db: DatabaseSync;
  account: number;
  /** When the answer was asked for, ISO 8601. */
  seenAt: string;
  /** Whether a record names somebody who was erased. */
  isErased: (record: BatchRecord) => boolean;
}

/**
 * One record for each BatchId. Of several that differ, always the same one is taken, whatever
 * their order; of batches that were created first, the changes come first.
 */
export function distinct(records: readonly BatchRecord[]): {
  records: PreparedRecord[];
  duplicates: number;
} {
  const byId = new Map<number, PreparedRecord>();
  for (const record of records) {
    const prepared = prepare(record);
    const other = byId.get(record.BatchId);
    if (!other || other.text < prepared.text) byId.set(record.BatchId, prepared);
  }
  const ordered = [...byId.values()].sort(
    (a, b) =>
      Date.parse(a.record.DateCreated) - Date.parse(b.record.DateCreated) ||
      a.record.BatchId - b.record.BatchId,
  );
  return { records: ordered, duplicates: records.length - ordered.length };
}

/** Counts how many batches show each oddity, so that the ledger gets one line for each kind. */
class Oddities {
  private readonly counts = new Map<string, number>();
  private readonly formerly: StatementSync;

  constructor(formerly: StatementSync) {
    this.formerly = formerly;
  }

  compare(seq: number, record: BatchRecord): void {
    const before = this.formerly.get(seq) as BatchRecord | undefined;
    if (!before) return;
    for (const name of COUNT_FIELDS) if (record[name] < before[name]) this.add(name);
    if (Date.parse(record.DateCreated) !== Date.parse(before.DateCreated)) this.add('DateCreated');
  }

  private add(field: string): void {
    this.counts.set(field, (this.counts.get(field) ?? 0) + 1);
  }

  findings(): DriftFinding[] {
    return [...this.counts].map(([field, count]) =>
      field === 'DateCreated'
        ? {
            code: 'creation-changed',
            field,
            detail: `${countText(count, 'batch has', 'batches have')} another creation time: is a BatchId used again?`,
          }
        : {
            code: 'count-fell',
            field,
            detail: `${countText(count, 'batch counts', 'batches count')} less than before`,
          },
    );
  }
}

/**
 * Writes records as new batches or new versions. Must run inside a transaction. Nothing is ever
 * deleted here: a batch that the answer lacks keeps its row and the time it was last seen.
 */
export function applyRecords(records: readonly PreparedRecord[], options: ApplyOptions): Applied {
  const { db, account, seenAt, isErased } = options;
  const writer = new VersionWriter(db, account);
  const oddities = new Oddities(
    db.prepare(
      `SELECT landing_page_watch_count AS LandingPageWatchCount, video_play_count AS VideoPlayCount,
         image_link_clicks AS ImageLinkClicks, social_clicks AS SocialClicks,
         search_clicks AS SearchClicks, date_created AS DateCreated
       FROM version WHERE change_seq = ?`,
    ),
  );
  const result: Applied = {
    inserted: 0,
    changed: 0,
    unchanged: 0,
    outdated: 0,
    scrubbed: 0,
    findings: [],
  };
  for (const received of records) {
    let known = writer.find(received.record.BatchId);
    if (known && known.last_seen_at > seenAt) {
      result.outdated++;
      continue;
    }
    const named = isErased(received.record);
    const scrub = named || typeof known?.erased_at === 'string';
    if (scrub) result.scrubbed++;
    const prepared = scrub ? prepare(withoutPerson(received.record)) : received;
    if (!known) {
      writer.insert(prepared, seenAt, scrub ? seenAt : null);
      result.inserted++;
      continue;
    }
    if (named && known.erased_at === null) {
      scrubBatch(db, known.id, seenAt);
      known = writer.find(received.record.BatchId) ?? known;
    }
    if (known.hash === prepared.hash) {
      writer.seen(known, seenAt);
      result.unchanged++;
      continue;
    }
    oddities.compare(known.current_seq, prepared.record);
    writer.change(known, prepared, seenAt);
    result.changed++;
  }
  result.findings = oddities.findings();
  return result;
}

/** Stores records that broke the contract as they came, until a later version can read them. */
export function saveQuarantined(
  quarantined: readonly Quarantined[],
  body: readonly unknown[],
  { db, account, seenAt }: Omit<ApplyOptions, 'isErased'>,
): void {
  const keep = db.prepare(
    `INSERT INTO quarantine (account_id, hash, first_seen_at, last_seen_at, code, path, raw)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (account_id, hash) DO UPDATE SET last_seen_at = excluded.last_seen_at
       WHERE excluded.last_seen_at > last_seen_at`,
  );
  for (const { code, path } of quarantined) {
    const index = Number(/^\[(\d+)\]/.exec(path)?.[1]);
    const raw = JSON.stringify(body[index] ?? null);
    keep.run(account, sha256(raw), seenAt, seenAt, code, path.replace(/^\[\d+\]\.?/, ''), raw);
  }
}
