import path from 'node:path';
import pMap from 'p-map';
import type { LoadedConfig, WithKey } from '../config/load.ts';
import type { DealerConfig } from '../config/schema.ts';
import { AppError, MachineError, SecretFoundError } from '../errors.ts';
import { firstOfSignals } from '../lib/abort.ts';
import { isFuture } from '../lib/clock-skew.ts';
import { getMediaByDealer } from '../service/media-by-dealer.ts';
import { type AnswerCounts, acceptAnswer, withStoredMedia } from './accept.ts';
import {
  type Control,
  type ControlEffect,
  effectOf,
  NO_CONTROL,
  shownVehicles,
  unknownMedia,
} from './control.ts';
import type { DealerMemory, DealerStock, Snapshot } from './dealer-stock.ts';
import { LIST_MAX_AGE, loadList } from './list.ts';
import { onlyListed } from './only-listed.ts';
import { plateNames } from './plate-names.ts';
import {
  lossGate,
  mediaLossGate,
  quarantineGate,
  sizeGate,
  suspiciousLoss,
  vrms,
} from './refusals.ts';
import { namedMemory, shownMemory } from './shown-memory.ts';
import { withdrawnNow } from './withdrawn.ts';

interface LoadStockOptions {
  config: LoadedConfig;
  cacheDir: string;
  /** Milliseconds since 1970. */
  now: number;
  /** In the form of eleventy-fetch. Without it, a request is always sent. */
  maxAge?: string;
  /** Decisions about single vehicles. They apply to responses and records. */
  control?: Control;
  /** `DEALER@NAME` losses that the user accepted. */
  acceptLoss?: readonly string[];
  /** Reads the record of a dealer. */
  memory: (dealer: WithKey<DealerConfig>) => Promise<DealerMemory>;
  signal?: AbortSignal;
  onDealer?: (stock: DealerStock) => void;
}

interface FallBackInput extends DealerMemory, Pick<LoadStockOptions, 'config'> {
  dealer: WithKey<DealerConfig>;
  control: ControlEffect;
}

/** The stock of a dealer before its list is read. */
type Accepted = Omit<DealerStock, 'withdrawn'>;

/** Uses the snapshot, of any age, instead of an unusable response. */
function fallBack(
  { dealer, config, live, notes, control, last: stored }: FallBackInput,
  problem: AppError,
  source: 'snapshot' | 'held',
  counts?: AnswerCounts,
): Accepted {
  // If the record of the site cannot be verified, the snapshot may come from an old cache. If too many vehicles of the
  // published site are missing in it, using it would make the site worse.
  const isBehind =
    stored !== undefined &&
    live?.state === 'live' &&
    suspiciousLoss(live.vrms, vrms(stored.vehicles), config.publish).length > 0;
  const last = isBehind ? undefined : stored;
  if (isBehind) {
    notes.push(
      `The snapshot in the cache, of ${stored.confirmed}, lacks vehicles of the published site, so it is not used.`,
    );
  }
  return {
    dealer,
    source: last ? source : 'none',
    vehicles: last?.vehicles ?? [],
    published: live?.state,
    counts,
    takenAt: last?.confirmed,
    problem,
    control,
    notes,
  };
}

/** The snapshot with times in the future, which come from a wrong clock, set to the present. */
function withCorrectedClock(last: Snapshot, now: number, notes: string[]): Snapshot {
  if (isFuture(last.confirmed, now)) {
    notes.push(
      `The snapshot is dated ${last.confirmed}, in the future: this machine's clock is wrong, or was wrong in an earlier build. Its age, and the time of withdrawn vehicles, count from this build.`,
    );
  }
  const correctedTime = (time: string) =>
    isFuture(time, now) ? new Date(now).toISOString() : time;
  return {
    ...last,
    confirmed: correctedTime(last.confirmed),
    withdrawn: last.withdrawn.map((vehicle) => ({
      ...vehicle,
      since: correctedTime(vehicle.since),
    })),
  };
}

async function loadDealer(
  dealer: WithKey<DealerConfig>,
  options: LoadStockOptions,
): Promise<DealerStock> {
  const { config, cacheDir, maxAge, signal, now, acceptLoss = [], memory } = options;
  const { control = NO_CONTROL } = options;
  const nameOf = plateNames(config);
  const recorded = namedMemory(await memory(dealer), nameOf);
  const { last: shownLast, ...otherMemory } = shownMemory(recorded, control);
  const last = shownLast && withCorrectedClock(shownLast, now, otherMemory.notes);
  const dealerMemory = { ...otherMemory, last, recorded: recorded.last };
  const stock = await loadVehicles(dealer, dealerMemory, { ...options, control });
  const list = await loadList(dealer, {
    config,
    cacheDir,
    maxAge: maxAge === undefined ? 0 : LIST_MAX_AGE,
    signal,
    nameOf,
    vehicles: stock.vehicles,
    last: last?.list,
    now,
    acceptLoss,
  });
  const listedStock = list ? onlyListed(stock, list, { last, config, acceptLoss }) : stock;
  if (stock.source === 'none') return { ...stock, ...listedStock, withdrawn: [] };
  const { vehicles } = listedStock;
  const { withdrawnFor } = config.site;
  // The published site's list is not used: write access to the site must not allow making pages here.
  const withdrawn = last && withdrawnNow(last, vehicles, { now, withdrawnFor, list: list?.facts });
  return { ...stock, ...listedStock, withdrawn: withdrawn ?? [] };
}

/** The records of a dealer's answer, or why a snapshot is used instead. */
async function fetchRecords(
  dealer: WithKey<DealerConfig>,
  { config, cacheDir, maxAge, signal }: LoadStockOptions,
): Promise<unknown[] | AppError> {
  try {
    return await getMediaByDealer({
      service: config.service,
      dealer,
      cacheDir: path.join(cacheDir, 'service'),
      maxAge,
      signal,
    });
  } catch (error) {
    // Leaked keys and problems of this machine, such as a full disk, have no fallback.
    const isFatal = error instanceof SecretFoundError || error instanceof MachineError;
    if (error instanceof AppError && !isFatal) return error;
    throw error;
  }
}

async function loadVehicles(
  dealer: WithKey<DealerConfig>,
  { live, notes, last, recorded }: DealerMemory & { recorded: Snapshot | undefined },
  options: LoadStockOptions & { control: Control },
): Promise<Accepted> {
  const { config, now, acceptLoss = [], control } = options;
  const { vehicles: recordedVehicles = [], withdrawn = [] } = recorded ?? {};
  const effect = effectOf(control, recordedVehicles, withdrawn);
  const input = { dealer, config, last, live, notes, control: effect };
  const body = await fetchRecords(dealer, options);
  if (body instanceof AppError) return fallBack(input, body, 'snapshot');
  const items = body.map((record) => (record as { mediaList?: unknown } | null)?.mediaList);
  const size = {
    vehicles: body.length,
    items: items.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0),
  };
  const sizeError = sizeGate(size, dealer, config);
  if (sizeError) return fallBack(input, sizeError, 'snapshot');
  const { fieldNames } = config.service;
  const received = acceptAnswer(body, dealer.id, fieldNames, last?.vehicles, plateNames(config));
  input.control = effectOf(control, received.vehicles, withdrawn);
  notes.push(...unknownMedia(control, received.vehicles));
  const answer = { ...received, vehicles: shownVehicles(received.vehicles, control) };
  const quarantineError = quarantineGate(answer, dealer, config);
  if (quarantineError) return fallBack(input, quarantineError, 'snapshot', answer.counts);
  const limits = { dealer, config, acceptLoss };
  const loss = lossGate(answer, { last, live }, limits) ?? mediaLossGate(answer, last, limits);
  if (loss) return fallBack(input, loss, 'held', answer.counts);
  // Until the user accepts their loss, media stay that the service lists in an unusable form.
  const isAccepted = acceptLoss.some((token) => token.startsWith(`${dealer.slug}@`));
  const stored = new Map(isAccepted ? [] : last?.vehicles.map(({ vrm, media }) => [vrm, media]));
  const vehicles = answer.vehicles.map((vehicle) =>
    withStoredMedia(vehicle, stored.get(vehicle.vrm) ?? [], received.unusableIds),
  );
  const restored = vehicles.filter((vehicle, index) => vehicle !== answer.vehicles[index]);
  answer.counts.keptVrms.push(...vrms(restored));
  return {
    dealer,
    source: 'live',
    vehicles,
    published: live?.state,
    ...(!last && live && 'why' in live && { notCompared: live.why }),
    counts: answer.counts,
    takenAt: new Date(now).toISOString(),
    before: { last, live },
    control: input.control,
    notes,
  };
}

/**
 * Loads the stock of every configured dealer, in the order of the configuration. For a dealer without a usable response
 * (also if the service refuses the request), it is the snapshot, and `problem` is the reason.
 *
 * @throws {SecretFoundError} a response contained the key.
 */
export async function loadStock(options: LoadStockOptions): Promise<DealerStock[]> {
  const stop = new AbortController();
  const signal = firstOfSignals(stop.signal, options.signal);
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
  // Aborts and awaits the other dealers, so that nothing writes to the cache after this throws.
  return pMap(dealers, load, { concurrency: service.concurrency, stopOnError: false }).catch(() => {
    throw stop.signal.reason;
  });
}
