import path from 'node:path';
import pMap from 'p-map';
import type { LoadedConfig, WithKey } from '../config/load.ts';
import type { DealerConfig } from '../config/schema.ts';
import { NEUTRAL_FIELD_NAMES } from '../contract/field-names.ts';
import { AppError, GateError, printable, RefusedError, SecretFoundError } from '../errors.ts';
import { getMediaByDealer } from '../service/media-by-dealer.ts';
import { type AcceptedAnswer, type AnswerCounts, acceptAnswer } from './accept.ts';
import { isSuspicious, lossBetween, tooManyQuarantined } from './gates.ts';
import { readShown } from './shown.ts';
import {
  readSnapshot,
  type Snapshot,
  type SnapshotRead,
  snapshotFolder,
  type Withdrawn,
  writeSnapshot,
} from './snapshot.ts';
import type { Vehicle } from './vehicle.ts';
import { countedFromShown, stillShown, updateWithdrawn } from './withdrawn.ts';

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
  vehicles: Vehicle[];
  withdrawn: Withdrawn[];
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

const vrms = (records: readonly { vrm: string }[]): string[] => records.map(({ vrm }) => vrm);

function standIn(
  read: SnapshotRead,
  dealer: WithKey<DealerConfig>,
  {
    problem,
    source,
    config,
    now,
    shown,
    counts,
    notes,
  }: {
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
    vehicles: [],
    withdrawn: [],
    counts,
    takenAt: undefined,
    snapshotId: undefined,
    problem,
    notes,
  };
  if (read.found !== 'good') return none;
  const { snapshot } = read;
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
    vehicles: acceptAnswer(snapshot.records, dealer.id, NEUTRAL_FIELD_NAMES).vehicles,
    withdrawn: stillShown(
      countedFromShown(snapshot.withdrawn, { shown, now: new Date(now).toISOString() }),
      { now, withdrawnFor: config.site.withdrawnFor },
    ),
    takenAt: snapshot.takenAt,
    snapshotId: snapshot.id,
  };
}

function sizeGate(
  received: number,
  dealer: DealerConfig,
  { service: { maxVehicles } }: LoadedConfig,
): GateError | undefined {
  if (received <= maxVehicles) return undefined;
  return new GateError({
    code: 'stock-too-many-vehicles',
    what: `The service lists ${received} vehicles for dealer ${dealer.id} (${dealer.name}).`,
    why: `That is more than service.maxVehicles (${maxVehicles}); each would be a page.`,
    fix: 'If the dealer really has so many, raise service.maxVehicles.',
  });
}

function quarantineGate(
  answer: AcceptedAnswer,
  dealer: DealerConfig,
  config: LoadedConfig,
): GateError | undefined {
  const { vehicles, quarantine } = answer.counts;
  if (!tooManyQuarantined(vehicles, config.publish)) return undefined;
  const [first] = quarantine;
  return new GateError({
    code: 'stock-too-many-quarantined',
    what: `${vehicles.quarantined} of ${vehicles.received} records for dealer ${dealer.id} (${dealer.name}) break the contract.`,
    why: `That is more than publish.maxQuarantined (${config.publish.maxQuarantined * 100} %). The first: ${printable(`${first?.path} ${first?.message}`)}.`,
    fix: 'Ask the vendor whether the operation has changed; see docs/operations.md.',
  });
}

function lossGate(
  answer: AcceptedAnswer,
  snapshot: Snapshot,
  dealer: DealerConfig,
  config: LoadedConfig,
): GateError | undefined {
  const loss = lossBetween(vrms(snapshot.records), vrms(answer.vehicles));
  if (!isSuspicious(loss, config.publish)) return undefined;
  const token = `${dealer.slug}@${snapshot.id}`;
  return new GateError({
    code: 'stock-vehicle-loss',
    what: `${loss.gone.length} of ${loss.before} vehicles of dealer ${dealer.id} (${dealer.name}) are gone at once.`,
    why: 'That is more than publish.maxVehicleLoss allows without a person saying so.',
    fix: `If they were really sold, run once with --accept-loss ${token}`,
  });
}

async function loadDealer(
  dealer: WithKey<DealerConfig>,
  { config, cacheDir, now, maxAge, acceptLoss = [], signal }: LoadStockOptions,
): Promise<DealerStock> {
  const folder = snapshotFolder(cacheDir);
  const notes: string[] = [];
  const read = await readSnapshot(folder, dealer.id);
  const shown = await readShown(folder, dealer.id);
  if (read.found === 'corrupt') {
    notes.push(`The kept last good answer is ignored: ${read.reason}.`);
  }
  const fallBack = (problem: AppError, source: 'snapshot' | 'held', counts?: AnswerCounts) =>
    standIn(read, dealer, { problem, source, config, now, shown, counts, notes });

  let body: unknown[];
  try {
    body = await getMediaByDealer({
      service: config.service,
      dealer,
      cacheDir: path.join(cacheDir, 'service'),
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
  const flood = sizeGate(body.length, dealer, config);
  if (flood) return fallBack(flood, 'snapshot');
  const answer = acceptAnswer(body, dealer.id, config.service.fieldNames);
  const broken = quarantineGate(answer, dealer, config);
  if (broken) return fallBack(broken, 'snapshot', answer.counts);
  const former = read.found === 'good' ? read.snapshot : undefined;
  if (former && !acceptLoss.includes(`${dealer.slug}@${former.id}`)) {
    const loss = lossGate(answer, former, dealer, config);
    if (loss) return fallBack(loss, 'held', answer.counts);
  }
  const takenAt = new Date(now).toISOString();
  const snapshot = await writeSnapshot(folder, {
    dealerId: dealer.id,
    takenAt,
    records: answer.records,
    withdrawn: updateWithdrawn({
      former: countedFromShown(former?.withdrawn ?? [], { shown, now: takenAt }),
      before: vrms(former?.records ?? []),
      after: vrms(answer.vehicles),
      now: takenAt,
    }),
  });
  return {
    dealer,
    source: 'live',
    vehicles: answer.vehicles,
    withdrawn: stillShown(snapshot.withdrawn, { now, withdrawnFor: config.site.withdrawnFor }),
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
