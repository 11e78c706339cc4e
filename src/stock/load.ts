import path from 'node:path';
import pMap from 'p-map';
import type { LoadedConfig, WithKey } from '../config/load.ts';
import type { DealerConfig } from '../config/schema.ts';
import { AppError, MachineError, SecretFoundError } from '../errors.ts';
import { isFuture } from '../lib/clock-skew.ts';
import { getMediaByDealer } from '../service/media-by-dealer.ts';
import { type AcceptedAnswer, type AnswerCounts, acceptAnswer } from './accept.ts';
import { type DealerList, type LastList, loadList } from './list.ts';
import {
  lossGate,
  mediaLossGate,
  type PublishedVehicles,
  quarantineGate,
  sizeGate,
  suspiciousLoss,
  vehiclesId,
  vrms,
} from './refusals.ts';
import type { Vehicle } from './vehicle.ts';
import { unexpiredWithdrawals, updateWithdrawn, type Withdrawn } from './withdrawn.ts';

/** Where a dealer's vehicles of this run come from. */
export type StockSource =
  /** The answer of this run. */
  | 'live'
  /** The last good answer, because this run got no usable one. */
  | 'snapshot'
  /** The last good answer, because this run's lacks too many vehicles or media to be plausible. */
  | 'held'
  /** There is no usable answer at all. */
  | 'none';

/** The last good answer of a dealer. */
export interface LastGood {
  /** When an answer was accepted last, UTC, including one that was the same as before. */
  confirmed: string;
  vehicles: readonly Vehicle[];
  withdrawn: readonly Withdrawn[];
  /** Undefined if the dealer had no stock list. */
  list?: LastList | undefined;
}

/** What is recorded of a dealer before the service is called. */
export interface DealerMemory {
  last: LastGood | undefined;
  /** What the published site lists; undefined where that was not checked. */
  live: PublishedVehicles | undefined;
  /** To be reported. */
  notes: string[];
}

export interface DealerStock {
  dealer: WithKey<DealerConfig>;
  source: StockSource;
  vehicles: readonly Vehicle[];
  withdrawn: Withdrawn[];
  /** The dealer's stock list; undefined if none is configured. */
  list?: DealerList | undefined;
  /** What the published site lists of the dealer; undefined where that was not checked. */
  published?: PublishedVehicles['state'] | undefined;
  /**
   * Why the vehicles of the published site are not known, where the answer could not be compared with a
   * last good one either.
   */
  notCompared?: string | undefined;
  /** What this run's answer held, where there was one. */
  counts?: AnswerCounts | undefined;
  /**
   * When the answer that is used was last received, UTC. Every run that receives the same answer updates
   * it, so an answer that has not changed for days is not days old.
   */
  takenAt?: string | undefined;
  snapshotId?: string | undefined;
  /** Why the answer of this run is not used. */
  problem?: AppError | undefined;
  /** What was recorded of the dealer before this run, if its answer is used. */
  before?: Omit<DealerMemory, 'notes'>;
  /** Notes for the report without any other effect, such as a damaged record. */
  notes: string[];
}

export interface LoadStockOptions {
  config: LoadedConfig;
  cacheDir: string;
  /** Milliseconds since 1970. */
  now: number;
  /** eleventy-fetch's form; `0s` always asks. */
  maxAge?: string;
  /** `DEALER@NAME` losses that a person accepted. */
  acceptLoss?: readonly string[];
  /** Reads what is recorded of a dealer. */
  memory: (dealer: WithKey<DealerConfig>) => Promise<DealerMemory>;
  signal?: AbortSignal;
  onDealer?: (stock: DealerStock) => void;
}

interface FallBackInput extends DealerMemory, Pick<LoadStockOptions, 'config' | 'now'> {
  dealer: WithKey<DealerConfig>;
}

/** The last good answer in place of one that cannot be used, however old it is. */
function fallBack(
  { dealer, config, now, live, notes, last: stored }: FallBackInput,
  problem: AppError,
  source: 'snapshot' | 'held',
  counts?: AnswerCounts,
): DealerStock {
  // An old cache can lack so many vehicles of the published site that using it would make the site worse,
  // if the site's own record cannot be verified.
  const isBehind =
    stored !== undefined &&
    live?.state === 'live' &&
    suspiciousLoss(live.vrms, vrms(stored.vehicles), config.publish) > 0;
  const last = isBehind ? undefined : stored;
  if (isBehind) {
    notes.push(
      `The last good answer that is remembered here, of ${stored.confirmed}, lacks vehicles that the published site lists: it cannot stand in.`,
    );
  }
  const { withdrawnFor } = config.site;
  return {
    dealer,
    source: last ? source : 'none',
    vehicles: last?.vehicles ?? [],
    withdrawn: unexpiredWithdrawals(last?.withdrawn ?? [], { now, withdrawnFor }),
    published: live?.state,
    counts,
    takenAt: last?.confirmed,
    snapshotId: last && vehiclesId(vrms(last.vehicles)),
    problem,
    notes,
  };
}

/** The last good answer; times in the future, which come from a wrong clock, are set to now. */
function checkedClock(last: LastGood, now: number, notes: string[]): LastGood {
  if (isFuture(last.confirmed, now)) {
    notes.push(
      `The last good answer is dated ${last.confirmed}, in the future: a build ran with a wrong clock, or this one does. Its age counts from this build.`,
    );
  }
  const wrong = last.withdrawn.filter(({ since }) => isFuture(since, now)).length;
  if (wrong > 0) {
    notes.push(
      `${wrong} withdrawn vehicles are dated in the future; their time counts from this build.`,
    );
  }
  const mended = (time: string) => (isFuture(time, now) ? new Date(now).toISOString() : time);
  return {
    ...last,
    confirmed: mended(last.confirmed),
    withdrawn: last.withdrawn.map(({ vrm, since }) => ({ vrm, since: mended(since) })),
  };
}

async function loadDealer(
  dealer: WithKey<DealerConfig>,
  options: LoadStockOptions,
): Promise<DealerStock> {
  const { config, now, acceptLoss = [], memory } = options;
  const { last: recalled, ...recorded } = await memory(dealer);
  const last = recalled && checkedClock(recalled, now, recorded.notes);
  const stock = await loadVehicles(dealer, { ...recorded, last }, options);
  const { file: configFile, publish } = config;
  const { vehicles } = stock;
  const before = { last: last?.list, acceptLoss };
  return { ...stock, list: await loadList(dealer, { configFile, publish, vehicles, ...before }) };
}

async function loadVehicles(
  dealer: WithKey<DealerConfig>,
  { live, notes, last }: DealerMemory,
  { config, cacheDir, now, maxAge, acceptLoss = [], signal }: LoadStockOptions,
): Promise<DealerStock> {
  const input = { dealer, config, now, last, live, notes };

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
    // There is no fallback for a leaked key, nor for faults of this machine such as a full disk.
    if (error instanceof SecretFoundError || error instanceof MachineError) throw error;
    if (!(error instanceof AppError)) throw error;
    return fallBack(input, error, 'snapshot');
  }
  const flood = sizeGate(body.length, dealer, config);
  if (flood) return fallBack(input, flood, 'snapshot');
  const { fieldNames } = config.service;
  const answer: AcceptedAnswer = acceptAnswer(body, dealer.id, fieldNames, last?.vehicles);
  const broken = quarantineGate(answer, dealer, config);
  if (broken) return fallBack(input, broken, 'snapshot', answer.counts);
  const options = { dealer, config, acceptLoss };
  const loss = lossGate(answer, { last, live }, options) ?? mediaLossGate(answer, last, options);
  if (loss) return fallBack(input, loss, 'held', answer.counts);

  const takenAt = new Date(now).toISOString();
  const withdrawn = updateWithdrawn({
    // Expired ones are dropped, as the record would grow by every vehicle that ever existed.
    former: unexpiredWithdrawals(last?.withdrawn ?? [], {
      now,
      withdrawnFor: config.site.withdrawnFor,
    }),
    // The published site's list is not used: whoever can write there must not be able to make pages here.
    before: vrms(last?.vehicles ?? []),
    after: vrms(answer.vehicles),
    now: takenAt,
  });
  return {
    dealer,
    source: 'live',
    vehicles: answer.vehicles,
    withdrawn,
    published: live?.state,
    ...(!last && live && 'why' in live && { notCompared: live.why }),
    counts: answer.counts,
    takenAt,
    snapshotId: vehiclesId(vrms(answer.vehicles)),
    before: { last, live },
    notes,
  };
}

/**
 * The stock of every configured dealer, in the order of the configuration. For a dealer without a usable
 * answer, also one that the service refused, it is the last good answer; `problem` is the reason.
 *
 * @throws {SecretFoundError} an answer contained the key.
 */
export async function loadStock(options: LoadStockOptions): Promise<DealerStock[]> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(options.signal ? [options.signal] : [])]);
  const load = async (dealer: WithKey<DealerConfig>): Promise<DealerStock> => {
    stop.signal.throwIfAborted();
    try {
      const stock = await loadDealer(dealer, { ...options, signal });
      options.onDealer?.(stock);
      return stock;
    } catch (error) {
      stop.abort(error);
      throw error;
    }
  };
  const { dealers, service } = options.config;
  // The other dealers are aborted and awaited, so that nothing writes to the cache once this throws.
  return pMap(dealers, load, { concurrency: service.concurrency, stopOnError: false }).catch(() => {
    throw stop.signal.reason;
  });
}
