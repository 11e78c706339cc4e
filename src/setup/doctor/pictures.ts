import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { SiteSize } from '../../config/hosts.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { countName } from '../../contract/parse.ts';
import { hostAndPort, hostRules, isAllowedHost } from '../../download/hosts.ts';
import { failureAdvice } from '../../images/failure-advice.ts';
import { runPipeline } from '../../images/pipeline/pipeline.ts';
import type { MediaResult } from '../../images/pipeline/types.ts';
import { planSources, type Source } from '../../images/plan.ts';
import { recipeBook } from '../../images/recipe-book.ts';
import { type Content, outputsFor } from '../../images/recipes.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { bytesText, timeText } from '../../lib/terminal/progress.ts';
import { tooManyMissing } from '../../publish/gates/gates.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import { mediaOf, posterOf, providersOf } from '../../videos/configured.ts';
import { embedOf } from '../../videos/embed.ts';
import { type Check, counted, type Finding, finding } from '../findings.ts';

/** Number of pictures to download: enough for all domains of a typical vendor and a realistic mean size. */
const SAMPLE = 8;

/** Used for pictures outside the sample: the most common size of such services. */
const USUAL: Content = { hash: '0'.repeat(20), width: 1600, height: 1200 };
/** Mean bytes of a thumbnail in the default configuration, without a sample. */
const USUAL_BYTES = 40_000;

/** Reports hosts of videos without a provider, with their number of videos. */
export function* checkEmbeds(
  config: LoadedConfig,
  vehicles: readonly Vehicle[],
): Iterable<Finding> {
  const providers = providersOf(config);
  const unmatched = new Map<string, number>();
  for (const item of vehicles.flatMap(({ media }) => media)) {
    if (item.kind !== 'video') continue;
    const player = embedOf(item, providers);
    if (!player.embed && player.unmatchedHost !== undefined) {
      countName(unmatched, player.unmatchedHost);
    }
  }
  if (unmatched.size === 0) return;
  const hosts = Object.fromEntries(unmatched);
  const what = `Videos on hosts without a provider: ${counted(hosts)}.`;
  yield finding('embed-hosts', { hosts }, what);
}

/**
 * All pictures of a build, including stills of videos: the allowed pictures, and the hosts of forbidden pictures with
 * their number of pictures.
 */
export function picturesOf(
  config: LoadedConfig,
  vehicles: readonly Vehicle[],
): { allowed: Source[]; forbidden: Map<string, number> } {
  const rules = hostRules(config.service.baseUrl, mediaOf(config).hosts);
  const forbidden = new Map<string, number>();
  const sources = planSources(vehicles, recipeBook(config.media, config.feeds), posterOf(config));
  const allowed = sources.filter(({ url = '', optional }) => {
    const address = new URL(url);
    if (isAllowedHost(address, rules)) return true;
    // The form of media.hosts: with the port if it is not the default port of the scheme.
    const host = address.port ? hostAndPort(address) : address.hostname;
    if (!optional) countName(forbidden, host);
    return false;
  });
  return { allowed, forbidden };
}

/** A sample: one picture of each host first, then pictures spread over the stock. */
function sampleOf(sources: readonly Source[]): Source[] {
  const byHost = new Map(sources.map((source) => [new URL(source.url ?? '').host, source]));
  const chosen = new Set([...byHost.values()].slice(0, SAMPLE));
  for (let index = 0; index < SAMPLE && chosen.size < SAMPLE; index++) {
    const source = sources[Math.floor((index * sources.length) / SAMPLE)];
    if (source) chosen.add(source);
  }
  return [...chosen];
}

/** Estimates all thumbnails from the mean size in the sample. */
async function thumbnailsOf(
  sources: readonly Source[],
  sample: readonly Source[],
  { contentOf, folder }: MediaResult,
): Promise<SiteSize> {
  const sizes: number[] = [];
  const typical = sample.flatMap(({ key }) => contentOf(key) ?? []);
  for (const { key, recipes } of sample) {
    const content = contentOf(key);
    for (const { name } of content ? outputsFor(content, recipes) : []) {
      const stats = await stat(path.join(folder, name)).catch(() => undefined);
      if (stats) sizes.push(stats.size);
    }
  }
  const mean =
    sizes.length > 0 ? sizes.reduce((sum, size) => sum + size, 0) / sizes.length : USUAL_BYTES;
  let files = 0;
  for (const [index, { key, recipes }] of sources.entries()) {
    const content = contentOf(key) ?? typical[index % typical.length] ?? USUAL;
    files += outputsFor(content, recipes).length;
  }
  return {
    files,
    bytes: Math.round(files * mean),
    // Some pictures have more detail than the sample.
    largestFile: Math.round(2 * Math.max(mean, ...sizes)),
    // Thumbnails are in 256 folders.
    fullestFolder: Math.ceil(files / 256),
  };
}

/** A URL without parts that may contain secrets: user, password, query. */
function publicUrl(address: string | undefined): string {
  const url = URL.parse(address ?? '');
  if (!url) return 'a picture without a URL';
  return `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`;
}

/** Failed pictures by code. They are errors if a build with this share of failures would stop. */
function* sampleFailures(
  failures: MediaResult['failures'],
  sampleSize: number,
  { publish }: Pick<LoadedConfig, 'publish'>,
): Iterable<Finding> {
  const stops = tooManyMissing({ pictures: sampleSize, missing: failures.length }, publish);
  const allowed = publish.maxPictureFailures;
  const why = `A build ${stops ? 'would stop' : 'publishes without them'}: publish.maxPictureFailures allows ${Math.round(allowed * 100)} %.`;
  for (const [code, group] of Map.groupBy(failures, ({ code }) => code)) {
    const count = group.length;
    const pictures = group.map(({ url, message }) => ({ url: publicUrl(url), message }));
    const fixes = [...new Set(group.map(failureAdvice))];
    const lines = pictures.map(({ url, message }) => `${url}: ${message}`);
    const what = `${count} of ${countText(sampleSize, 'sample picture')} failed with ${code}:`;
    const args = { code, count, tried: sampleSize, stops, allowed, pictures, fixes };
    yield {
      ...finding('picture-fails', args, [what, ...lines].join('\n'), { why, fix: fixes.join(' ') }),
      severity: stops ? 'error' : 'warning',
    };
  }
}

/**
 * Checks that the hosts of pictures are allowed, and that a sample passes the image pipeline of a build.
 *
 * @param folder folder for the sample. The caller removes it.
 * @returns the size of the thumbnails of all pictures, and the downloaded pictures of the sample.
 */
export async function* checkPictures(
  config: LoadedConfig,
  vehicles: readonly Vehicle[],
  { folder, signal }: { folder: string; signal?: AbortSignal },
): Check<{ thumbnails: SiteSize; media: MediaResult }> {
  const { allowed, forbidden } = picturesOf(config, vehicles);
  if (forbidden.size > 0) {
    const hosts = Object.fromEntries(forbidden);
    const names = [...forbidden.keys()].slice(0, 10).map((host) => `'${host}'`);
    const what = `Pictures come from hosts that are not allowed: ${counted(hosts)}.`;
    const fix = `Add to media.hosts in site.config.ts, if they are your vendor's: ${names.join(', ')}`;
    yield finding('picture-hosts', { hosts }, what, { fix });
  }
  // Stills of videos have a substitute, so no build fails if they are missing.
  const sample = sampleOf(allowed.filter(({ optional }) => !optional));
  const start = performance.now();
  const media = await runPipeline({
    sources: sample,
    media: mediaOf(config),
    baseUrl: config.service.baseUrl,
    cacheDir: folder,
    now: Date.now(),
    signal,
  });
  const { downloaded, downloadedBytes, outputsMade } = media.counts;
  yield* sampleFailures(media.failures, sample.length, config);
  if (outputsMade > 0) {
    const ms = Math.round(performance.now() - start);
    const args = { count: downloaded, ms, downloadedBytes, outputs: outputsMade };
    const what = `${countText(downloaded, 'sample picture')} (${bytesText(downloadedBytes)}) became ${countText(outputsMade, 'thumbnail')} in ${timeText(ms)}.`;
    yield finding('pictures-arrive', args, what);
  }
  return { thumbnails: await thumbnailsOf(allowed, sample, media), media };
}
