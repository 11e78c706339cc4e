import path from 'node:path';
import pMap from 'p-map';
import type { LoadedConfig, WithKey } from '../config/load.ts';
import type { DealerConfig } from '../config/schema.ts';
import { NEUTRAL_FIELD_NAMES } from '../contract/field-names.ts';
import { AppError, GateError, SecretFoundError } from '../errors.ts';
import { getMediaAnswer, type MediaAnswer } from '../service/media-by-dealer.ts';
import { type AcceptedAnswer, type AnswerCounts, acceptAnswer, vehiclesOf } from './accept.ts';
import { acceptance } from './acceptance.ts';
import type { PublishedVehicles } from './published.ts';
import { lossBases, lossGate, quarantineGate, sizeGate, vrms } from './refusals.ts';
import {
  prepareSnapshot,
  readRecords,
  readSnapshot,
  type Snapshot,
  snapshotFolder,
  type Withdrawn,
} from './snapshot.ts';
import type { Vehicle } from './vehicle.ts';
import { VehicleList } from './vehicle-list.ts';
import { stillShown, updateWithdrawn, withoutFuture } from './withdrawn.ts';

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
  /** What the published site lists of the dealer; undefined where nobody asked. */
  published: PublishedVehicles['state'] | undefined;
  /**
   * Why the published site could not be asked, where an answer is used of which nothing else says
   * what it lost.
   */
  notCompared?: string | undefined;
  /** What this run's answer held, where there was one. */
  counts: AnswerCounts | undefined;
  /**
   * When the answer that is used was last received, UTC, and what it is called. Each night that gives
   * the same again counts: what has not changed for days is not days old.
   */
  takenAt: string | undefined;
  snapshotId: string | undefined;
  /** Checksum of the records that can be read again. */
  stored?: string | undefined;
  /**
   * Makes the answer of this run the last good one. To be called when it is published: what later
   * answers lose is counted against what visitors see.
   */
  accept?: () => Promise<void>;
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
  /** Asks what the published site lists; without it, only the last good answer is known. */
  published?: (dealer: DealerConfig) => Promise<PublishedVehicles>;
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

interface FallBackInput {
  dealer: WithKey<DealerConfig>;
  folder: string;
  config: LoadedConfig;
  now: number;
  former: Snapshot | undefined;
  published: PublishedVehicles | undefined;
  notes: string[];
}

/** The last good answer in place of one that cannot be used, however old it is. */
function fallBack(
  { dealer, folder, config, now, former, published, notes }: FallBackInput,
  problem: AppError,
  source: 'snapshot' | 'held',
  counts?: AnswerCounts,
): DealerStock {
  const none: DealerStock = {
    dealer,
    source: 'none',
    vehicles: new VehicleList([]),
    withdrawn: [],
    published: published?.state,
    counts,
    takenAt: undefined,
    snapshotId: undefined,
    problem,
    notes,
  };
  if (!former) return none;
  return {
    ...none,
    source,
    vehicles: vehiclesIn(folder, former),
    withdrawn: stillShown(former.withdrawn, { now, withdrawnFor: config.site.withdrawnFor }),
    takenAt: former.takenAt,
    snapshotId: former.id,
    stored: former.stored,
  };
}

/** The last good answer of a dealer, with what is odd about it. */
async function readFormer(
  folder: string,
  dealerId: number,
  way: string,
  now: number,
): Promise<{ former: Snapshot | undefined; notes: string[] }> {
  const read = await readSnapshot(folder, dealerId, way);
  if (read.found === 'none') return { former: undefined, notes: [] };
  if (read.found === 'corrupt') {
    return { former: undefined, notes: [`The kept last good answer is ignored: ${read.reason}.`] };
  }
  const { snapshot } = read;
  const notes: string[] = [];
  if (Date.parse(snapshot.takenAt) > now) {
    notes.push(
      `The last good answer is dated ${snapshot.takenAt}, in the future: a build ran with a wrong clock, or this one does.`,
    );
  }
  const { withdrawn, inFuture } = withoutFuture(snapshot.withdrawn, now);
  if (inFuture > 0) {
    notes.push(
      `${inFuture} withdrawn vehicles are dated in the future; their time counts from this build.`,
    );
  }
  return { former: { ...snapshot, withdrawn }, notes };
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
  { config, cacheDir, now, maxAge, acceptLoss = [], signal, ...options }: LoadStockOptions,
): Promise<DealerStock> {
  const folder = snapshotFolder(cacheDir, config);
  const way = acceptance(config.service.fieldNames);
  const { former, notes } = await readFormer(folder, dealer.id, way, now);
  const published = await options.published?.(dealer);
  const input = { dealer, folder, config, now, former, published, notes };

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
    // Nothing stands in for a leaked key. A full disk and the like is no fault of the service.
    if (error instanceof SecretFoundError || !(error instanceof AppError)) throw error;
    return fallBack(input, error, 'snapshot');
  }
  const answer = accepted(answered, former, { dealer, config });
  if (answer instanceof GateError) return fallBack(input, answer, 'snapshot');
  const broken = quarantineGate(answer, dealer, config);
  if (broken) return fallBack(input, broken, 'snapshot', answer.counts);
  const loss = lossGate(answer, lossBases(former, published), { dealer, config, acceptLoss });
  if (loss) return fallBack(input, loss, 'held', answer.counts);

  const takenAt = new Date(now).toISOString();
  const time = { now, withdrawnFor: config.site.withdrawnFor };
  const withdrawn = updateWithdrawn({
    // The others are forgotten: the snapshot would name every vehicle that there ever was.
    former: stillShown(former?.withdrawn ?? [], time),
    // Not what the published site lists: nobody who can write there is to make pages here.
    before: vrms(former?.records ?? []),
    after: vrms(answer.vehicles),
    now: takenAt,
  });
  const { records, counts } = answer;
  const taken = { digest: answered.digest, accepted: way, counts };
  const { snapshot, accept } = await prepareSnapshot(
    folder,
    { dealerId: dealer.id, takenAt, records, withdrawn, answer: taken },
    former,
  );
  return {
    dealer,
    source: 'live',
    vehicles: vehiclesIn(folder, snapshot, answer.vehicles),
    withdrawn: snapshot.withdrawn,
    published: published?.state,
    ...(!former && published?.state === 'unknown' && { notCompared: published.why }),
    counts: answer.counts,
    takenAt,
    snapshotId: snapshot.id,
    stored: snapshot.stored,
    accept,
    problem: undefined,
    notes,
  };
}

/**
 * The stock of every configured dealer, in the order of the configuration. A dealer without an answer
 * that can be used, be it that the service said "no", stands on its snapshot; `problem` says why.
 *
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
