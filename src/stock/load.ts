import path from 'node:path';
import pMap from 'p-map';
import type { LoadedConfig, WithKey } from '../config/load.ts';
import type { DealerConfig } from '../config/schema.ts';
import { NEUTRAL_FIELD_NAMES } from '../contract/field-names.ts';
import { AppError, GateError, RefusedError, SecretFoundError } from '../errors.ts';
import { getMediaAnswer, type MediaAnswer } from '../service/media-by-dealer.ts';
import { type AcceptedAnswer, type AnswerCounts, acceptAnswer, vehiclesOf } from './accept.ts';
import { acceptance } from './acceptance.ts';
import { lossGate, quarantineGate, sizeGate, vrms } from './refusals.ts';
import { readShown } from './shown.ts';
import {
  readRecords,
  readSnapshot,
  type Snapshot,
  type SnapshotRead,
  snapshotFolder,
  type Withdrawn,
  writeSnapshot,
} from './snapshot.ts';
import type { Vehicle } from './vehicle.ts';
import { VehicleList } from './vehicle-list.ts';
import { countedFromShown, over, stillShown, updateWithdrawn } from './withdrawn.ts';

/** Where a dealer's vehicles of this run come from. */
export type StockSource =
  /** The answer of this run. */
  | 'live'
  /** The last good answer, because this run had none that could be used. */
  | 'snapshot'
  /** The last good answer, because this run's lost too many vehicles to be believed. */
  | 'held'
  /** Nothing to stand on. */
  | 'none';

export interface DealerStock {
  dealer: WithKey<DealerConfig>;
  source: StockSource;
  vehicles: VehicleList;
  withdrawn: Withdrawn[];
  /** Withdrawn vehicles whose page was shown for long enough, while the last good answer names them. */
  withdrawnOver?: readonly string[];
  /** What this run's answer held, where there was one. */
  counts: AnswerCounts | undefined;
  /** When the answer that is used was received, UTC, and what it is called. */
  takenAt: string | undefined;
  snapshotId: string | undefined;
  /** Why the answer of this run is not used. */
  problem: AppError | undefined;
  /** Things to tell that change nothing, such as a corrupt snapshot. */
  notes: string[];
}

export interface LoadStockOptions {
  config: LoadedConfig;
  cacheDir: string;
  /** Milliseconds since 1970. */
  now: number;
  /** eleventy-fetch's form; `0s` always asks. */
  maxAge?: string;
  /** `DEALER@SNAPSHOT` losses that a person accepted. */
  acceptLoss?: readonly string[];
  signal?: AbortSignal;
  onDealer?: (stock: DealerStock) => void;
}

/** The vehicles of a snapshot, which are read again from it where they are no longer held. */
function vehiclesIn(
  folder: string,
  { dealerId, records, answer, stored }: Snapshot,
  vehicles?: readonly Vehicle[],
): VehicleList {
  if (answer === undefined || stored === undefined) {
    return new VehicleList(acceptAnswer(records, dealerId, NEUTRAL_FIELD_NAMES).vehicles);
  }
  return new VehicleList(vehicles ?? vehiclesOf(records, dealerId), () => {
    const again = readRecords(folder, dealerId, stored);
    if (again) return vehiclesOf(again, dealerId);
    throw new GateError({
      code: 'cache-changed',
      what: `The kept answer of dealer ${dealerId} is no longer as this build wrote it.`,
      why: 'Something else wrote to the cache folder, or the disk fails.',
      fix: 'Run the build again, and let nothing else write there.',
    });
  });
}

function standIn(
  read: SnapshotRead,
  dealer: WithKey<DealerConfig>,
  {
    folder,
    problem,
    source,
    config,
    now,
    shown,
    counts,
    notes,
  }: {
    folder: string;
    problem: AppError;
    source: 'snapshot' | 'held';
    config: LoadedConfig;
    now: number;
    shown: ReadonlySet<string>;
    counts?: AnswerCounts | undefined;
    notes: string[];
  },
): DealerStock {
  const none: DealerStock = {
    dealer,
    source: 'none',
    vehicles: new VehicleList([]),
    withdrawn: [],
    counts,
    takenAt: undefined,
    snapshotId: undefined,
    problem,
    notes,
  };
  if (read.found !== 'good') return none;
  const { snapshot } = read;
  const time = { now, withdrawnFor: config.site.withdrawnFor };
  const withdrawn = countedFromShown(snapshot.withdrawn, {
    shown,
    now: new Date(now).toISOString(),
  });
  const age = now - Date.parse(snapshot.takenAt);
  if (source === 'snapshot' && age > config.publish.maxSnapshotAge) {
    notes.push(
      `The last good answer is ${Math.round(age / 3_600_000)} hours old, more than publish.maxSnapshotAge allows.`,
    );
    return none;
  }
  return {
    ...none,
    source,
    vehicles: vehiclesIn(folder, snapshot),
    withdrawn: stillShown(withdrawn, time),
    withdrawnOver: over(withdrawn, time),
    takenAt: snapshot.takenAt,
    snapshotId: snapshot.id,
  };
}

/**
 * What is accepted of an answer. One that is, byte for byte, what the last snapshot was made of, in
 * the same way as now, comes out the same: so it is taken from there.
 */
function accepted(
  answered: MediaAnswer,
  former: Snapshot | undefined,
  { dealer, config }: { dealer: DealerConfig; config: LoadedConfig },
): AcceptedAnswer | GateError {
  if (former?.answer?.digest === answered.digest) {
    const { records, answer } = former;
    const { counts } = answer;
    const flood = sizeGate(counts.vehicles.received, dealer, config);
    return flood ?? { records, vehicles: vehiclesOf(records, dealer.id), counts };
  }
  const body = answered.records();
  const flood = sizeGate(body.length, dealer, config);
  return flood ?? acceptAnswer(body, dealer.id, config.service.fieldNames);
}

async function loadDealer(
  dealer: WithKey<DealerConfig>,
  { config, cacheDir, now, maxAge, acceptLoss = [], signal }: LoadStockOptions,
): Promise<DealerStock> {
  const folder = snapshotFolder(cacheDir);
  const notes: string[] = [];
  const way = acceptance(config.service.fieldNames);
  const read = await readSnapshot(folder, dealer.id, way);
  const former = read.found === 'good' ? read.snapshot : undefined;
  const shown = await readShown(folder, dealer.id);
  if (read.found === 'corrupt') {
    notes.push(`The kept last good answer is ignored: ${read.reason}.`);
  }
  const fallBack = (problem: AppError, source: 'snapshot' | 'held', counts?: AnswerCounts) =>
    standIn(read, dealer, { folder, problem, source, config, now, shown, counts, notes });

  let answered: MediaAnswer;
  try {
    answered = await getMediaAnswer({
      service: config.service,
      dealer,
      cacheDir: path.join(cacheDir, 'service'),
      known: former?.answer?.digest,
      ...(maxAge && { maxAge }),
      ...(signal && { signal }),
    });
  } catch (error) {
    // "No" is a matter for a person, and so is a leaked key: nothing stands in for them.
    if (error instanceof RefusedError || error instanceof SecretFoundError) throw error;
    // A full disk and the like is no fault of the service.
    if (!(error instanceof AppError)) throw error;
    return fallBack(error, 'snapshot');
  }
  const answer = accepted(answered, former, { dealer, config });
  if (answer instanceof GateError) return fallBack(answer, 'snapshot');
  const broken = quarantineGate(answer, dealer, config);
  if (broken) return fallBack(broken, 'snapshot', answer.counts);
  if (former && !acceptLoss.includes(`${dealer.slug}@${former.id}`)) {
    const loss = lossGate(answer, former, dealer, config);
    if (loss) return fallBack(loss, 'held', answer.counts);
  }
  const takenAt = new Date(now).toISOString();
  const time = { now, withdrawnFor: config.site.withdrawnFor };
  const withdrawn = updateWithdrawn({
    // The others are forgotten: the snapshot would name every vehicle that there ever was.
    former: stillShown(countedFromShown(former?.withdrawn ?? [], { shown, now: takenAt }), time),
    before: vrms(former?.records ?? []),
    after: vrms(answer.vehicles),
    now: takenAt,
  });
  const { records, counts } = answer;
  const taken = { digest: answered.digest, accepted: way, counts };
  const snapshot = await writeSnapshot(
    folder,
    { dealerId: dealer.id, takenAt, records, withdrawn, answer: taken },
    former,
  );
  return {
    dealer,
    source: 'live',
    vehicles: vehiclesIn(folder, snapshot, answer.vehicles),
    withdrawn: stillShown(snapshot.withdrawn, time),
    counts: answer.counts,
    takenAt,
    snapshotId: snapshot.id,
    problem: undefined,
    notes,
  };
}

/**
 * The stock of every configured dealer, in the order of the configuration. A dealer whose answer
 * cannot be used stands on its snapshot where that is allowed, and says so in `problem`.
 *
 * @throws {RefusedError} the service said "no" for a dealer: a matter of the configuration.
 * @throws {SecretFoundError} an answer held the key.
 */
export async function loadStock(options: LoadStockOptions): Promise<DealerStock[]> {
  const stop = new AbortController();
  const signals = [stop.signal, ...(options.signal ? [options.signal] : [])];
  const signal = AbortSignal.any(signals);
  let failure: { error: unknown } | undefined;
  const stocks = await pMap(
    options.config.dealers,
    async (dealer) => {
      if (failure) return [];
      try {
        const stock = await loadDealer(dealer, { ...options, signal });
        options.onDealer?.(stock);
        return [stock];
      } catch (error) {
        // The others are stopped and waited for: once this throws, nothing writes to the cache.
        failure ??= { error };
        stop.abort();
        return [];
      }
    },
    { concurrency: options.config.service.concurrency },
  );
  if (failure) throw failure.error;
  return stocks.flat();
}
