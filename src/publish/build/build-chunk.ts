import type { LoadedConfig } from '../../config/load.ts';
import type { MediaResult } from '../../images/line/types.ts';
import { OutputNames } from '../../images/output-names.ts';
import type { MediaEngines } from '../../images/process/tasks.ts';
import type { TimeLimit } from '../../images/process/time-limit.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import type { KnownPictures } from '../../record/known-pictures.ts';
import { type NextRecord, nextRecord } from '../../record/published-records.ts';
import { countsOf } from '../../record/schema.ts';
import type { OwnFiles } from '../../render/own-files.ts';
import type { DealerPlan } from '../../site/plan/dealer-plan.ts';
import type { SitePlan } from '../../site/plan/site-plan.ts';
import { type DealerStock, loadStock } from '../../stock/load.ts';
import { type BuiltChunk, timed } from '../chunk/built-chunk.ts';
import { attentionOf } from '../gates/attention.ts';
import {
  checkDealers,
  type DealerState,
  dealerOutcomeOf,
  pictureLoss,
  statesOf,
} from '../gates/gates.ts';
import type { BuildMemory } from '../memory/memory.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { ProgressEvent } from '../report/build-progress.ts';
import { dealerReport } from '../report/dealer-report.ts';
import { checkEveryPicture } from '../report/picture-failures.ts';
import type { SiteLists } from '../site-diff/site-lists.ts';
import { speaksOfBatches } from '../verify/external-links.ts';
import { type PreparedSite, prepareSite } from './prepare.ts';
import type { SitePages } from './site-pages.ts';

/** State that all chunks built by one process share. */
export interface ChunkContext {
  options: Pick<RunOptions, 'cacheDir' | 'acceptLoss' | 'first' | 'fromPublished' | 'signal'>;
  /** Milliseconds since 1970. */
  now: number;
  /** The published folder, or the folder of the change set; `lists` are the published site's lists of files. */
  output: string;
  lists: SiteLists;
  /** Holds only the dealers of this build. */
  config: LoadedConfig;
  own: OwnFiles;
  memory: BuildMemory;
  pages: SitePages;
  engines: MediaEngines | undefined;
  /** Time for pictures; without it, all are made. */
  limit: TimeLimit | undefined;
  notify: (event: ProgressEvent) => void;
}

/** The part of a chunk that is not sent to other processes. */
export interface LocalResult {
  plan: SitePlan;
  media: MediaResult;
}

/** Average bytes of a vehicle's pages, and of each of its media in them, as measured. */
const PAGE = { vehicle: 15_500, media: 1_500 };

/** Estimated bytes of the dealers' pages. */
const pageBytes = (stock: readonly DealerStock[]): number =>
  stock
    .flatMap(({ vehicles }) => vehicles)
    .reduce((sum, { media }) => sum + PAGE.vehicle + media.length * PAGE.media, 0);

/** Fetches the stock of some dealers from the service. */
export function loadChunk(
  dealers: LoadedConfig['dealers'],
  { options, now, config, memory, notify }: ChunkContext,
  chunk: BuiltChunk,
): Promise<DealerStock[]> {
  const { cacheDir, acceptLoss, signal } = options;
  return timed(chunk, 'fetch', () =>
    loadStock({
      config: { ...config, dealers },
      cacheDir,
      now,
      memory: (dealer) => memory.of(dealer),
      ...(acceptLoss && { acceptLoss }),
      ...(signal && { signal }),
      onDealer: ({ dealer, source, vehicles }) =>
        notify({
          kind: 'dealer',
          text: `${dealer.name}: ${countText(vehicles.length, 'vehicle')} (${source})`,
        }),
    }),
  );
}

/**
 * Makes the pictures, pages and records of some dealers.
 *
 * @param chunk receives the results, also those of a build that fails halfway.
 */
export async function buildChunk(
  stock: DealerStock[],
  context: ChunkContext,
  chunk: BuiltChunk,
): Promise<LocalResult> {
  const { options, now, own } = context;
  const states = statesOf(stock, { first: options.first === true });
  let prepared: Partial<Pick<PreparedSite, 'media' | 'waiting'>> = {};
  try {
    noteDealers(stock, states, context, chunk);
    return await makeChunk(stock, context, chunk, (result) => {
      prepared = result;
    });
  } finally {
    chunk.first = context.memory.first;
    const summaries = new Map(chunk.made?.summaries);
    chunk.reports = stock.map((one) =>
      dealerReport({
        stock: one,
        state: states.get(one.dealer.id) ?? 'failed',
        now,
        summary: summaries.get(one.dealer.id),
        media: prepared.media,
        waiting: prepared.waiting?.get(one.dealer.id),
        facts: own.facts.get(one.dealer.id),
      }),
    );
    context.memory.release();
  }
}

/** Records the outcome of each dealer that is known before its pictures are downloaded. */
function noteDealers(
  stock: readonly DealerStock[],
  states: ReadonlyMap<number, DealerState>,
  { options, now, config, notify }: ChunkContext,
  chunk: BuiltChunk,
): void {
  const first = options.first === true;
  chunk.attention = attentionOf(stock, states, { now, publish: config.publish, first });
  chunk.outcomes = stock.map((one) => dealerOutcomeOf(one, states));
  chunk.pageBytes = pageBytes(stock);
  // Reported at once: pictures may take an hour.
  const byDealer = new Map(chunk.attention.map((one) => [one.dealer, one]));
  for (const { problem, dealer, notes } of stock) {
    const { what = problem?.message, fix } = byDealer.get(dealer.id) ?? {};
    if (what) notify({ kind: 'warn', text: [what, problem?.why, fix].filter(Boolean).join(' ') });
    for (const note of notes) notify({ kind: 'warn', text: `${dealer.name}: ${note}` });
  }
  checkDealers(chunk.outcomes, { complete: chunk.outcomes.length === config.dealers.length });
  // Texts of the service may hold field names of batches; that is unusual but no leak.
  if (speaksOfBatches(stock)) chunk.personalWords = 'as-keys';
}

async function makeChunk(
  listed: readonly DealerStock[],
  context: ChunkContext,
  chunk: BuiltChunk,
  onPrepared: (prepared: PreparedSite) => void,
): Promise<LocalResult> {
  const { options, now, config, own, memory, lists, pages, engines, limit, output, notify } =
    context;
  const { cacheDir, first = false, fromPublished, signal } = options;
  const pictures = memory.pictures(listed);
  const heads = new Map(listed.map(({ dealer: { id } }) => [id, lists.of(id)]));
  const prepared = await timed(chunk, 'media', () =>
    prepareSite(config, listed, {
      cacheDir,
      now,
      own,
      headOf: (dealerId) => heads.get(dealerId)?.plan,
      pictures,
      engines,
      limit: limit && { time: limit, first },
      published: {
        url: fromPublished ? config.site.url : undefined,
        ...(pictures.published ? { names: pictures.published.asKnown } : { folder: output }),
      },
      onRestore: (progress) => notify({ kind: 'restore', ...progress }),
      ...(signal && { signal }),
      onProgress: (progress) => {
        chunk.progress = progress;
        notify({ kind: 'pictures', ...progress });
      },
    }),
  );
  onPrepared(prepared);
  const { plan, media, stock } = prepared;
  chunk.media = media.counts;
  chunk.failures = media.failures;
  chunk.notes = media.problems;
  chunk.loss = pictureLoss(media);
  chunk.outputs = [...media.outputs.pictures()];
  chunk.unpublished = [...media.unpublished.pictures()];
  chunk.mayLeaveOutputs = media.mayLeaveOutputs;

  const known = new Map(stock.map((one) => [one.dealer.id, one]));
  const { personalWords } = chunk;
  chunk.made = await pages.dealers(
    plan,
    (dealer) => recordOf(dealer, known.get(dealer.dealerId), { memory, known: pictures.known }),
    {
      ...{ outputs: media.outputs, fingerprints: media.fingerprints, personalWords },
      ...{ dealers: known.keys(), steps: chunk },
    },
  );
  if (pictures.published) {
    chunk.base = {
      times: await memory.publishedTimes(),
      listed: [...known.keys()].filter((id) => memory.published(id)?.list !== undefined),
      unused: [...new OutputNames(pictures.published.all.without(media.outputs)).pictures()],
    };
  }
  chunk.lacking = [...lists.lacking];
  checkEveryPicture(stock, new Map(chunk.made.summaries), media);
  return { plan, media };
}

/** The next record of a dealer: its new answer, or what its former record holds. */
function recordOf(
  { dealerId, shown }: DealerPlan,
  { source, counts, takenAt, withdrawn }: Partial<DealerStock> = {},
  { memory, known }: { memory: BuildMemory; known: KnownPictures },
): NextRecord {
  const former = memory.record(dealerId);
  if (source !== 'live' && former) {
    // Lost thumbnails are made again while the service is silent, except those of a dealer that shows nothing.
    const rows = source === 'none' || !source ? undefined : known.rows(String(dealerId));
    // Dates in the future were corrected; otherwise they would be new in each build without an answer.
    const record = { ...former.record, ...rows, ...(withdrawn && { withdrawn }) };
    return nextRecord(record, takenAt ?? former.confirmed, former);
  }
  if (!counts || !takenAt || !withdrawn) throw new Error(`Nothing is known of dealer ${dealerId}.`);
  const rows = known.rows(String(dealerId));
  const record = {
    dealer: dealerId,
    counts: countsOf(counts),
    withdrawn,
    vehicles: shown,
    ...rows,
  };
  return nextRecord(record, takenAt, former);
}
