/** The steps for each chunk of dealers, in any process: recall → fetch → accept → images → pages → verify. */
import type { LoadedConfig } from '../../config/load.ts';
import type { MediaResult } from '../../images/pipeline/types.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { writeUnlessRead } from '../../record/file.ts';
import { recordedList } from '../../record/list.ts';
import type { PictureRows } from '../../record/pictures.ts';
import type { NextRecord } from '../../record/published-records.ts';
import type { DealerHead, DealerPlan } from '../../site/plan/dealer-plan.ts';
import type { SitePlan } from '../../site/plan/site-plan.ts';
import type { DealerSummary } from '../../site/views/summaries.ts';
import { shownVehicles } from '../../stock/control.ts';
import type { DealerStock } from '../../stock/dealer-stock.ts';
import { loadStock } from '../../stock/load.ts';
import { plateNames, recordedWithoutPlates } from '../../stock/plate-names.ts';
import { type BuiltChunk, newChunk, newSteps, type Steps, timed } from '../chunk/built-chunk.ts';
import { attentionOf } from '../gates/attention.ts';
import { checkDealers, checkEveryPicture, outcomeOf } from '../gates/gates.ts';
import type { RecordedPictures } from '../memory/memory.ts';
import { dealerLabel, warningsOf } from '../report/attention-lines.ts';
import { dealerReport } from '../report/dealer-report.ts';
import { SiteDiff } from '../site-diff/site-diff.ts';
import { mentionsBatchFields } from '../verify/inspect.ts';
import type { Build } from './context.ts';
import type { RenderedPages } from './pages.ts';
import { type PreparedSite, prepareSite } from './prepare.ts';
import { verifyPages } from './verify-pages.ts';

/**
 * Minimum vehicles in a chunk: enough to make starting the renderer cheap, and few enough for the memory of a
 * small machine.
 */
export const VEHICLES = 500;

type Dealers = LoadedConfig['dealers'];

/** A list of another version may have no summary. */
const formerSlug = (head: Partial<DealerHead> | undefined): string | undefined =>
  (head?.summary as Partial<DealerSummary> | undefined)?.link?.slug;

/** The stock of a chunk's dealers, and the time for fetching it. */
interface FetchedChunk extends Steps {
  stock: DealerStock[];
}

/** The part of a chunk's result that stays in its process. */
export interface LocalChunk {
  plan: SitePlan;
  media: MediaResult;
}

/** The result of building a chunk, complete or not. */
export interface ChunkOutcome {
  chunk: BuiltChunk;
  local?: LocalChunk;
  /** Why its build failed. */
  error?: unknown;
}

/**
 * Recalls and fetches all dealers in chunks, so that memory use depends on the largest chunk.
 *
 * @param take returns the next dealers, or an empty list if none are left.
 * @param least minimum vehicles in a chunk.
 */
export async function* fetchChunks(
  build: Build,
  take: () => Dealers | Promise<Dealers>,
  least = VEHICLES,
): AsyncGenerator<FetchedChunk> {
  for (let dealers = await take(); dealers.length > 0; dealers = await take()) {
    const stock: DealerStock[] = [];
    const steps = newSteps();
    for (; dealers.length > 0; dealers = await take()) {
      const next = dealers;
      stock.push(...(await timed(steps, 'fetch', () => fetchStock(next, build))));
      if (stock.reduce((sum, { vehicles }) => sum + vehicles.length, 0) >= least) break;
    }
    yield { stock, ...steps };
  }
}

/**
 * Accepts the stock of a chunk, then makes and verifies its images and pages. Never throws, because the report
 * needs the results so far.
 */
export async function buildChunk(
  { stock, ...steps }: FetchedChunk,
  build: Build,
): Promise<ChunkOutcome> {
  const { memory, search } = build;
  const chunk: BuiltChunk = { ...newChunk(), ...steps };
  let prepared: PreparedSite | undefined;
  let heads: SiteDiff['heads'] = new Map();
  let local: LocalChunk | undefined;
  let error: unknown;
  try {
    Object.assign(chunk, acceptStock(stock, build));
    checkDealers(chunk.outcomes, {
      complete: stock.length === build.options.config.dealers.length,
    });
    const pictures = memory.pictures(stock, search);
    const ids = stock.map(({ dealer: { id } }) => id);
    const diff = new SiteDiff(build.published, ids);
    heads = diff.heads;
    const images = await timed(chunk, 'images', () =>
      makeImages(stock, pictures, chunk, { ...build, heads }),
    );
    prepared = images;
    const { plan, media } = images;
    const { counts, failures, problems, mayLeaveOutputs } = media;
    Object.assign(chunk, { media: counts, failures, notes: problems, mayLeaveOutputs });
    chunk.outputs = [...media.outputs.pictures()];
    chunk.unpublished = [...media.unpublished.pictures()];
    const pages = await timed(chunk, 'pages', () => makePages(images, pictures, diff, build));
    const facts = { ...media, thumbnails: media, mentionsFields: chunk.mentionsFields };
    chunk.madePages = await timed(chunk, 'verify', () => verifyPages(pages, diff, facts, build));
    checkEveryPicture(images.stock, chunk.madePages.summaries, media);
    local = { plan, media };
  } catch (cause) {
    error = cause;
  }
  memory.release();
  return { chunk: reported(chunk, stock, prepared, { ...build, heads }), local, error };
}

/** Recalls dealers from their records, and fetches their vehicles. A snapshot replaces an unusable response. */
function fetchStock(dealers: Dealers, build: Build): Promise<DealerStock[]> {
  const { options, userFiles, memory, signal, notify } = build;
  return loadStock({
    ...options,
    config: { ...options.config, dealers },
    control: userFiles.control,
    signal,
    memory: (dealer) => memory.of(dealer),
    onDealer: ({ dealer, source, vehicles }) => {
      const count = countText(vehicles.length, 'vehicle');
      const text = `${dealer.name}: ${count}${source === 'live' ? '' : ` (${source})`}`;
      notify({ kind: 'fetch', text });
    },
  });
}

/** The outcome of each dealer, before its pictures are downloaded. */
function acceptStock(
  stock: readonly DealerStock[],
  { options, notify }: Build,
): Pick<BuiltChunk, 'outcomes' | 'attention' | 'matched' | 'mentionsFields'> {
  const outcomes = stock.map((one) => outcomeOf(one, options));
  const attention = stock.map((one, index) => {
    const entry = attentionOf(one, outcomes[index]?.state ?? 'failed', options);
    return entry && { dealer: one.dealer.id, ...entry };
  });
  // Reported immediately, because pictures may take an hour.
  const problems = stock.flatMap(({ problem, dealer, notes, list }, index) => {
    const { what = problem?.message, fix } = attention[index] ?? {};
    return [
      ...(what ? [{ what, why: problem?.why, fix }] : []),
      ...(list?.matters ?? []),
      ...[...notes, ...(list?.notes ?? [])].map((note) => ({
        what: `${dealerLabel(dealer)}: ${note}`,
      })),
    ].map((entry) => ({ dealer: dealer.id, ...entry }));
  });
  for (const text of warningsOf(problems, options.config.dealers)) notify({ kind: 'warn', text });
  const mentionsFields = mentionsBatchFields(stock);
  const matched = stock.flatMap(({ control }) => control?.matched ?? []);
  const listMatters = stock.flatMap(({ dealer: { id }, list }) =>
    (list?.matters ?? []).map((matter) => ({ dealer: id, ...matter })),
  );
  return {
    outcomes,
    attention: [...attention.flatMap((entry) => entry ?? []), ...listMatters],
    matched,
    mentionsFields,
  };
}

/** @param chunk receives the progress, which errors about full disks need. */
function makeImages(
  stock: readonly DealerStock[],
  pictures: RecordedPictures,
  chunk: BuiltChunk,
  { options, userFiles, heads, engines, limit, signal, notify }: Build & Pick<SiteDiff, 'heads'>,
): Promise<PreparedSite> {
  const { config, cacheDir, now, first, fromPublished, output } = options;
  return prepareSite(config, stock, {
    cacheDir,
    now,
    userFiles,
    pictures,
    engines,
    signal,
    headOf: (dealerId) => heads.get(dealerId),
    limit: limit && { time: limit, first },
    published: {
      url: fromPublished ? config.site.url : undefined,
      ...(pictures.published ? { names: pictures.published } : { folder: output }),
    },
    onRestore: (progress) => notify({ kind: 'restore', ...progress }),
    onProgress: (progress) => {
      chunk.progress = progress;
      notify({ kind: 'images', ...progress });
    },
  });
}

/** Renders the pages that differ from the published ones, and writes the records. */
function makePages(
  { plan, stock }: PreparedSite,
  pictures: RecordedPictures,
  diff: SiteDiff,
  build: Build,
): Promise<RenderedPages> {
  const stockById = new Map(stock.map((one) => [one.dealer.id, one]));
  return build.pages.dealers(plan, diff, (dealer) =>
    recordOf(dealer, stockById.get(dealer.dealerId), { ...build, pictures }),
  );
}

/** The next record of a dealer: from its new response, or from its previous record. */
function recordOf(
  { dealerId, shown }: DealerPlan,
  { source, takenAt, withdrawn, list }: Partial<DealerStock> = {},
  { options, memory, userFiles, pictures }: Build & { pictures: RecordedPictures },
): NextRecord {
  const former = memory.record(dealerId);
  if (source !== 'live' && former) {
    // Without a response, lost thumbnails are made again, unless the dealer shows nothing.
    const rowsNow = source && source !== 'none' && pictures.known.rows(String(dealerId));
    const rows = rowsNow && !haveSameBytes(rowsNow, former.record) ? rowsNow : undefined;
    // Keeps the corrected date, because a date in the future would change with each build without a response.
    const { list: _, ...before } = former.record;
    const named = recordedWithoutPlates(before.vehicles, plateNames(options.config));
    const listed = recordedList(shownVehicles(named, userFiles.control), list);
    const record = { ...before, ...listed, ...rows, ...(withdrawn && { withdrawn }) };
    const confirmed = takenAt ?? former.confirmed;
    return { id: dealerId, confirmed, ...writeUnlessRead(record, former) };
  }
  if (!takenAt || !withdrawn) throw new Error(`The result of dealer ${dealerId} is incomplete.`);
  const rows = pictures.known.rows(String(dealerId));
  const record = { dealer: dealerId, withdrawn, ...recordedList(shown, list), ...rows };
  return { id: dealerId, confirmed: takenAt, ...writeUnlessRead(record, former) };
}

/** Whether rows have the same pictures and outputs. The times of their checks may differ. */
function haveSameBytes(one: PictureRows, other: PictureRows): boolean {
  const bytesOf = ({ sources, contents }: PictureRows) =>
    JSON.stringify([contents, sources.map(([name, , , hash]) => [name, hash])]);
  return bytesOf(one) === bytesOf(other);
}

/** The chunk with a report of each dealer, complete or not. */
function reported(
  chunk: BuiltChunk,
  stock: readonly DealerStock[],
  prepared: PreparedSite | undefined,
  { options: { now }, memory, heads }: Build & Pick<SiteDiff, 'heads'>,
): BuiltChunk {
  const reports = stock.map((one, index) =>
    dealerReport({
      stock: one,
      state: chunk.outcomes[index]?.state ?? 'failed',
      now,
      summary: chunk.madePages?.summaries.get(one.dealer.id),
      media: prepared?.media,
      waiting: prepared?.waiting?.get(one.dealer.id),
      formerSlug: formerSlug(heads.get(one.dealer.id)),
    }),
  );
  return { ...chunk, reports, first: memory.first };
}
