import type { LoadedConfig } from '../config/load.ts';
import type { MediaEngines, MediaResult } from '../media/line.ts';
import type { KnownPictures } from '../record/known-pictures.ts';
import { countsOf } from '../record/schema.ts';
import type { DealerPlan } from '../site/plan/dealer-plan.ts';
import type { SitePlan } from '../site/plan/site-plan.ts';
import { type DealerStock, loadStock } from '../stock/load.ts';
import { bytesText, type Console, timeText } from '../terminal/progress.ts';
import type { SiteAssembly } from './assemble.ts';
import { attentionOf } from './attention.ts';
import { speaksOfBatches } from './foreign.ts';
import { checkDealers, checkPictures, outcomeOf, pictureLoss, statesOf } from './gates.ts';
import type { BuildMemory } from './memory.ts';
import type { OwnFiles } from './own-files.ts';
import { checkEveryPicture } from './picture-account.ts';
import { prepareSite } from './prepare.ts';
import { tellRestore } from './published-lists.ts';
import { type NextRecord, nextRecord } from './records.ts';
import type { RunOptions } from './run-options.ts';
import { type State, timed } from './run-state.ts';
import type { PublishedFolder } from './tree/published-files.ts';

/** What the batches of a build share. */
export interface BatchContext {
  options: RunOptions;
  /** Milliseconds since 1970. */
  now: number;
  /** The published folder. */
  output: string;
  /** With the dealers that are built. */
  config: LoadedConfig;
  own: OwnFiles;
  memory: BuildMemory;
  published: PublishedFolder;
  assembly: SiteAssembly;
  engines: MediaEngines | undefined;
}

/** What is left of a batch once its pages are made. */
export interface Batch {
  plan: SitePlan;
  media: MediaResult;
}

/** With more dealers than this, their answers are progress, not lines that stay. */
const TOLD_DEALERS = 4;

/** Asks the service for some dealers. */
export async function loadBatch(
  dealers: LoadedConfig['dealers'],
  { options, now, config, memory }: BatchContext,
  state: State,
): Promise<DealerStock[]> {
  const { cacheDir, console, acceptLoss, signal } = options;
  const stock = await timed(state, 'fetch', () =>
    loadStock({
      config: { ...config, dealers },
      cacheDir,
      now,
      memory: (dealer) => memory.of(dealer),
      ...(acceptLoss && { acceptLoss }),
      ...(signal && { signal }),
      onDealer: ({ dealer, source, vehicles }) => {
        state.answered++;
        const text = `${dealer.name}: ${vehicles.length} vehicles (${source})`;
        const { length } = config.dealers;
        // A long list would push the summary off the screen.
        if (length <= TOLD_DEALERS) console.line(text);
        else console.progress(`Dealers: ${state.answered} of ${length}, ${text}`);
      },
    }),
  );
  console.finish();
  return stock;
}

/** Makes the pictures, pages and records of some dealers. */
export async function buildBatch(
  stock: DealerStock[],
  context: BatchContext,
  state: State,
): Promise<Batch> {
  const { options, output, now, config, own, memory, published, assembly, engines } = context;
  const { cacheDir, console, shard, signal } = options;
  const first = options.first === true;
  const { maxSnapshotAge } = config.publish;
  state.stock = stock;
  state.states = statesOf(stock, { first });
  const attention = attentionOf(stock, state.states, { now, maxSnapshotAge, first });
  state.attention.push(...attention);
  state.dealers.push(...stock.map((one) => outcomeOf(one, state.states)));
  warnOfDealers(stock, attention, console);
  // Whether a part is enough to be published is known once all of them are there.
  if (!shard)
    checkDealers(state.dealers, { complete: state.dealers.length === config.dealers.length });
  // Field names of batches in texts of the service itself are odd but no leak.
  if (speaksOfBatches(stock)) state.personalWords = 'as-keys';

  const started = performance.now();
  const pictures = memory.pictures(stock);
  const { plan, media } = await timed(state, 'media', () =>
    prepareSite(config, stock, {
      cacheDir,
      now,
      own,
      headOf: (dealerId) => published.heads.get(dealerId),
      pictures,
      engines,
      published: {
        url: options.fromPublished ? config.site.url : undefined,
        folder: output,
      },
      onRestore: (progress) => tellRestore(console, progress),
      ...(signal && { signal }),
      onProgress: (progress) => {
        const { total, done, failed, downloadedBytes, outputsMade } = progress;
        state.progress = progress;
        if (total === 0) return;
        const rate = done / ((performance.now() - started) / 1000);
        const left = rate > 0 ? timeText(((total - done) / rate) * 1000) : '–';
        console.progress(
          `Pictures: ${done} of ${total}${failed ? `, ${failed} failed` : ''}, ${left} left, ${rate.toFixed(1)}/s, ${outputsMade} thumbnails, ${bytesText(downloadedBytes)}`,
          done / total,
        );
      },
    }),
  );
  console.finish();
  state.batchMedia = media;
  const loss = pictureLoss(media);
  state.loss = {
    pictures: state.loss.pictures + loss.pictures,
    missing: state.loss.missing + loss.missing,
    first: state.loss.first ?? loss.first,
  };
  if (!shard && state.dealers.length === config.dealers.length) {
    checkPictures(state.loss, config.publish);
  }

  await assembly.add(plan, (dealer) => recordOf(dealer, { stock, memory, known: pictures.known }));
  console.finish();
  checkEveryPicture(stock, assembly.made.summaries, media);
  return { plan, media };
}

/** What is going to be remembered of a dealer: what it answered, or what was remembered before. */
function recordOf(
  { dealerId, shown }: DealerPlan,
  {
    stock,
    memory,
    known,
  }: { stock: readonly DealerStock[]; memory: BuildMemory; known: KnownPictures },
): NextRecord {
  const { source, counts, takenAt, withdrawn } =
    stock.find(({ dealer }) => dealer.id === dealerId) ?? {};
  const former = memory.record(dealerId);
  if (source !== 'live' && former) {
    return nextRecord(former.record, takenAt ?? former.confirmed, former);
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

/** Says what is odd about answers as soon as it is known: pictures may take an hour. */
function warnOfDealers(
  stock: readonly DealerStock[],
  attention: State['attention'],
  console: Console,
): void {
  const byDealer = new Map(attention.map((one) => [one.dealer, one]));
  for (const { problem, dealer, notes } of stock) {
    const { what = problem?.message, fix } = byDealer.get(dealer.id) ?? {};
    if (what) console.warn([what, problem?.why, fix].filter(Boolean).join(' '));
    for (const note of notes) console.warn(`${dealer.name}: ${note}`);
  }
}
