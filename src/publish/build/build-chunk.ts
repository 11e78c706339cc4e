/** The steps that each chunk of dealers passes through, in this process or another: plain data in, plain data out. */
import type { LoadedConfig } from '../../config/load.ts';
import type { MediaResult } from '../../images/line/types.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import type { PictureRows } from '../../record/pictures.ts';
import { type NextRecord, nextRecord } from '../../record/published-records.ts';
import { countsOf } from '../../record/schema.ts';
import type { DealerPlan } from '../../site/plan/dealer-plan.ts';
import type { SitePlan } from '../../site/plan/site-plan.ts';
import { shownVehicles } from '../../stock/control.ts';
import { type DealerStock, loadStock } from '../../stock/load.ts';
import { plateNames, recordedWithoutPlates } from '../../stock/plate-names.ts';
import { type BuiltChunk, newChunk, newSteps, type Steps, timed } from '../chunk/built-chunk.ts';
import { attentionOf } from '../gates/attention.ts';
import { checkDealers, checkEveryPicture, outcomeOf } from '../gates/gates.ts';
import type { RecordedPictures } from '../memory/memory.ts';
import { dealerReport } from '../report/dealer-report.ts';
import { speaksOfBatches } from '../verify/inspect.ts';
import type { ChunkContext } from './context.ts';
import { type PreparedSite, prepareSite } from './prepare.ts';

/**
 * Minimum of vehicles in a chunk: enough that starting the renderer costs little, and no more
 * than the memory of a small machine holds.
 */
export const VEHICLES = 500;

type Dealers = LoadedConfig['dealers'];

/** The stock of a chunk's dealers, and how long it took to fetch it. */
interface FetchedChunk extends Steps {
  stock: DealerStock[];
}

/** A chunk as far as its build came. */
export interface ChunkOutcome {
  chunk: BuiltChunk;
  /** The part that is not sent to other processes. */
  local?: { plan: SitePlan; media: MediaResult };
  /** Why its build failed. */
  error?: unknown;
}

/**
 * Recalls and fetches dealers until none is left, in chunks, so that memory use depends on the largest chunk.
 *
 * @param take the next dealers; empty when all are taken.
 * @param least vehicles of a chunk.
 */
export async function* fetchChunks(
  context: ChunkContext,
  take: () => Dealers | Promise<Dealers>,
  least = VEHICLES,
): AsyncGenerator<FetchedChunk> {
  for (let dealers = await take(); dealers.length > 0; dealers = await take()) {
    const stock: DealerStock[] = [];
    const steps = newSteps();
    for (; dealers.length > 0; dealers = await take()) {
      const next = dealers;
      stock.push(...(await timed(steps, 'fetch', () => fetchStock(next, context))));
      if (stock.reduce((sum, { vehicles }) => sum + vehicles.length, 0) >= least) break;
    }
    yield { stock, ...steps };
  }
}

function fetchStock(dealers: Dealers, context: ChunkContext): Promise<DealerStock[]> {
  const { options, own, now, config, memory, signal, notify } = context;
  const { cacheDir, acceptLoss = [] } = options;
  return loadStock({
    ...{ config: { ...config, dealers }, control: own.control, cacheDir, now, acceptLoss, signal },
    memory: (dealer) => memory.of(dealer),
    onDealer: ({ dealer, source, vehicles }) =>
      notify({
        kind: 'dealer',
        text: `${dealer.name}: ${countText(vehicles.length, 'vehicle')} (${source})`,
      }),
  });
}

/** Makes the pictures, pages and records of a chunk. Never throws: the report needs the results so far. */
export async function buildChunk(
  { stock, ...steps }: FetchedChunk,
  context: ChunkContext,
): Promise<ChunkOutcome> {
  const { config, memory } = context;
  const chunk: BuiltChunk = { ...newChunk(), ...steps };
  let prepared: PreparedSite | undefined;
  try {
    Object.assign(chunk, acceptStock(stock, context));
    checkDealers(chunk.outcomes, { complete: stock.length === config.dealers.length });
    const pictures = memory.pictures(stock);
    prepared = await timed(chunk, 'media', () => makePictures(stock, pictures, chunk, context));
    Object.assign(chunk, picturesOf(prepared.media));
    Object.assign(chunk, await makePages(prepared, pictures, chunk, context));
    const { plan, media } = prepared;
    checkEveryPicture(prepared.stock, new Map(chunk.made?.summaries), media);
    return { chunk: reported(chunk, stock, prepared, context), local: { plan, media } };
  } catch (error) {
    return { chunk: reported(chunk, stock, prepared, context), error };
  } finally {
    memory.release();
  }
}

/** The outcome of each dealer, which is known before its pictures are downloaded. */
function acceptStock(
  stock: readonly DealerStock[],
  { options, now, config: { publish }, notify }: ChunkContext,
): Pick<BuiltChunk, 'outcomes' | 'attention' | 'matched' | 'personalWords'> {
  const { first = false } = options;
  const outcomes = stock.map((one) => outcomeOf(one, { first }));
  const attention = stock.map((one, index) =>
    attentionOf(one, outcomes[index]?.state ?? 'failed', { now, publish, first }),
  );
  // Reported at once: pictures may take an hour.
  for (const [index, { problem, dealer, notes }] of stock.entries()) {
    const { what = problem?.message, fix } = attention[index]?.[0] ?? {};
    if (what) notify({ kind: 'warn', text: [what, problem?.why, fix].filter(Boolean).join(' ') });
    for (const note of notes) notify({ kind: 'warn', text: `${dealer.name}: ${note}` });
  }
  // Texts of the service may hold field names of batches; that is unusual but no leak.
  const personalWords = speaksOfBatches(stock) ? 'as-keys' : 'anywhere';
  const matched = stock.flatMap(({ control }) => control?.matched ?? []);
  return { outcomes, attention: attention.flat(), matched, personalWords };
}

/** @param chunk receives the progress, by which a full disk is explained. */
function makePictures(
  stock: readonly DealerStock[],
  pictures: RecordedPictures,
  chunk: BuiltChunk,
  context: ChunkContext,
): Promise<PreparedSite> {
  const { options, now, config, own, published, engines, limit, output, signal, notify } = context;
  const { cacheDir, first = false, fromPublished } = options;
  const heads = new Map(stock.map(({ dealer: { id } }) => [id, published.list(id)?.plan]));
  return prepareSite(config, stock, {
    ...{ cacheDir, now, own, pictures, engines, signal },
    headOf: (dealerId) => heads.get(dealerId),
    limit: limit && { time: limit, first },
    published: {
      url: fromPublished ? config.site.url : undefined,
      ...(pictures.published ? { names: pictures.published } : { folder: output }),
    },
    onRestore: (progress) => notify({ kind: 'restore', ...progress }),
    onProgress: (progress) => {
      chunk.progress = progress;
      notify({ kind: 'pictures', ...progress });
    },
  });
}

const picturesOf = (media: MediaResult) => ({
  media: media.counts,
  failures: media.failures,
  notes: media.problems,
  outputs: [...media.outputs.pictures()],
  unpublished: [...media.unpublished.pictures()],
  mayLeaveOutputs: media.mayLeaveOutputs,
});

/** Makes and verifies the pages, and writes the records. */
async function makePages(
  { plan, media, stock }: PreparedSite,
  pictures: RecordedPictures,
  chunk: BuiltChunk,
  { config, memory, own, published, pages }: ChunkContext,
): Promise<Pick<BuiltChunk, 'made' | 'lacking'>> {
  const known = new Map(stock.map((one) => [one.dealer.id, one]));
  const made = await pages.dealers(
    plan,
    (dealer) => recordOf(dealer, known.get(dealer.dealerId), { config, memory, own, pictures }),
    {
      ...{ outputs: media.outputs, thumbnails: media, personalWords: chunk.personalWords },
      ...{ dealers: known.keys(), steps: chunk },
    },
  );
  return { made, lacking: [...published.missing] };
}

/** The next record of a dealer: its new answer, or what its former record holds. */
function recordOf(
  { dealerId, shown }: DealerPlan,
  { source, counts, takenAt, withdrawn }: Partial<DealerStock> = {},
  {
    config,
    memory,
    own,
    pictures,
  }: Pick<ChunkContext, 'config' | 'memory' | 'own'> & { pictures: RecordedPictures },
): NextRecord {
  const former = memory.record(dealerId);
  if (source !== 'live' && former) {
    // Lost thumbnails are made again while the service is silent, except those of a dealer that shows nothing.
    const known = source && source !== 'none' && pictures.known.rows(String(dealerId));
    const rows = known && !haveSameBytes(known, former.record) ? known : undefined;
    // Dates in the future were corrected; otherwise they would be new in each build without an answer.
    const named = recordedWithoutPlates(former.record.vehicles, plateNames(config));
    const vehicles = shownVehicles(named, own.control);
    const record = { ...former.record, vehicles, ...rows, ...(withdrawn && { withdrawn }) };
    return nextRecord(record, takenAt ?? former.confirmed, former);
  }
  if (!counts || !takenAt || !withdrawn) throw new Error(`Nothing is known of dealer ${dealerId}.`);
  const rows = pictures.known.rows(String(dealerId));
  const about = { dealer: dealerId, counts: countsOf(counts) };
  return nextRecord({ ...about, withdrawn, vehicles: shown, ...rows }, takenAt, former);
}

/** Whether rows name the same pictures with the same outputs. When these were checked may differ. */
function haveSameBytes(one: PictureRows, other: PictureRows): boolean {
  const bytesOf = ({ sources, contents }: PictureRows) =>
    JSON.stringify([contents, sources.map(([name, , , hash]) => [name, hash])]);
  return bytesOf(one) === bytesOf(other);
}

/** The chunk with a report of each dealer, however far its build came. */
function reported(
  chunk: BuiltChunk,
  stock: readonly DealerStock[],
  prepared: PreparedSite | undefined,
  { now, own, memory }: ChunkContext,
): BuiltChunk {
  const summaries = new Map(chunk.made?.summaries);
  const reports = stock.map((one, index) =>
    dealerReport({
      stock: one,
      state: chunk.outcomes[index]?.state ?? 'failed',
      now,
      summary: summaries.get(one.dealer.id),
      media: prepared?.media,
      waiting: prepared?.waiting?.get(one.dealer.id),
      facts: own.facts.get(one.dealer.id),
    }),
  );
  return { ...chunk, reports, first: memory.first };
}
