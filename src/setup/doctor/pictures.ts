import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import { countName } from '../../contract/parse.ts';
import { hostAndPort, hostRules, isAllowedHost } from '../../images/download/hosts.ts';
import { failureAdvice } from '../../images/failure-advice.ts';
import { runMediaLine } from '../../images/line/line.ts';
import type { MediaResult } from '../../images/line/types.ts';
import { planSources, type Source } from '../../images/plan.ts';
import {
  type Content,
  type Output,
  outputsFor,
  type Recipe,
  recipeBook,
} from '../../images/recipes.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { bytesText, timeText } from '../../lib/terminal/progress.ts';
import { tooManyMissing } from '../../publish/gates/gates.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import { mediaOf, posterOf, providersOf } from '../../videos/configured.ts';
import { embedOf } from '../../videos/embed.ts';
import { counted, type Finding, finding } from '../findings.ts';

/** How many pictures are fetched: enough for every host of a usual vendor, and a fair mean size. */
const SAMPLE = 8;

/** Where nothing of a picture is known: the size that most cameras of such services give. */
const USUAL: Content = { hash: '0'.repeat(20), width: 1600, height: 1200 };
/** Mean bytes of a thumbnail in the default configuration, where no sample could be had. */
const USUAL_BYTES = 40_000;
/** Widths of the screens that show more than the thumbnails have. */
const USUAL_VIEWER_WIDTHS = [1600, 1920, 2560];
/** Bytes grow with the width to this power: measured with photographs of 1280 to 2560 pixels in WebP. */
const GROWTH = 1.4;

export interface PictureCheck {
  findings: Finding[];
  /** Thumbnails that a build would make, and what they take. */
  thumbnails: { count: number; bytes: number; largest: number };
  /** The sample, as far as it could be had. */
  media: Pick<MediaResult, 'contentOf' | 'outputs'>;
}

/** Video hosts that no provider matches, with how many videos they hold. */
export function checkEmbeds(config: LoadedConfig, vehicles: readonly Vehicle[]): Finding[] {
  const providers = providersOf(config);
  const hosts = new Map<string, number>();
  for (const { media } of vehicles) {
    for (const one of media) {
      if (one.kind !== 'video') continue;
      const found = embedOf(one, providers);
      if (!found.embed && found.unmatchedHost !== undefined) countName(hosts, found.unmatchedHost);
    }
  }
  if (hosts.size === 0) return [];
  const args = { hosts: Object.fromEntries(hosts) };
  return [
    finding('embed-hosts', args, `Videos of hosts without a provider: ${counted(args.hosts)}.`),
  ];
}

/** A sample: one picture of every host first, then others from all over the stock. */
function sampleOf(sources: readonly Source[]): Source[] {
  const byHost = new Map(sources.map((source) => [new URL(source.url ?? '').host, source]));
  const chosen = new Set([...byHost.values()].slice(0, SAMPLE));
  for (let index = 0; index < SAMPLE && chosen.size < SAMPLE; index++) {
    const source = sources[Math.floor((index * sources.length) / SAMPLE)];
    if (source) chosen.add(source);
  }
  return [...chosen];
}

/** Outputs of one kind are about equally large. */
const kindOf = ({ format, width, height }: Output): string => `${format} ${width}x${height}`;

/** What one output takes, told from those of the sample. */
interface Measured {
  /** Of a source; of those that are not known, one of the sample, in turn. */
  contentOf: (source: Source, index: number) => Content;
  bytesOf: (output: Output) => number;
  largest: number;
}

async function measure(
  sample: readonly Source[],
  { contentOf, folder }: MediaResult,
): Promise<Measured> {
  const known = sample.flatMap(({ key, recipes }) => {
    const content = contentOf(key);
    return content ? outputsFor(content, recipes) : [];
  });
  const sizes = await Promise.all(
    known.map(async (output) => {
      const found = await stat(path.join(folder, output.name)).catch(() => undefined);
      return { kind: kindOf(output), output, bytes: found?.size ?? 0 };
    }),
  );
  const mean = (all: readonly { bytes: number }[]): number =>
    all.length === 0 ? USUAL_BYTES : all.reduce((sum, { bytes }) => sum + bytes, 0) / all.length;
  const means = new Map(
    [...Map.groupBy(sizes, ({ kind }) => kind)].map(([kind, all]) => [kind, mean(all)]),
  );
  const overall = mean(sizes);
  const typical = sample.flatMap(({ key }) => contentOf(key) ?? []);
  return {
    contentOf: ({ key }, index) => contentOf(key) ?? typical[index % typical.length] ?? USUAL,
    bytesOf: (output) => {
      const exact = means.get(kindOf(output));
      if (exact !== undefined || !output.exact) return exact ?? overall;
      const alike = sizes.filter((one) => one.output.format === output.format);
      const width = Math.max(...alike.map((one) => one.output.width));
      if (alike.length === 0) return overall;
      const widest = mean(alike.filter((one) => one.output.width === width));
      return widest * (output.width / width) ** GROWTH;
    },
    // Some picture is more detailed than those of the sample.
    largest: Math.round(2 * Math.max(overall, ...sizes.map(({ bytes }) => bytes))),
  };
}

/** How many outputs all pictures will have, and what they take. */
function sumOf(
  sources: readonly Source[],
  recipesOf: (source: Source) => readonly Recipe[],
  { contentOf, bytesOf }: Measured,
): { count: number; bytes: number } {
  let [count, bytes] = [0, 0];
  for (const [index, source] of sources.entries()) {
    for (const output of outputsFor(contentOf(source, index), recipesOf(source))) {
      count++;
      bytes += bytesOf(output);
    }
  }
  return { count, bytes: Math.round(bytes) };
}

/** What larger pictures in the viewer cost, or would cost where the originals are large enough. */
function checkViewer(
  media: LoadedConfig['media'],
  sources: readonly Source[],
  measured: Measured,
): Finding[] {
  const { viewerWidths, fullSize } = media;
  const made = viewerWidths.length > 0;
  // The copies are shown in the viewer, too.
  if (!made && fullSize === 'mirror') return [];
  const widths = made ? viewerWidths : USUAL_VIEWER_WIDTHS;
  const { large } = recipeBook({ ...media, viewerWidths: widths });
  const { count, bytes } = sumOf(sources, () => large, measured);
  if (count === 0 && !made) return [];
  const shown = media.widths.at(-1) ?? 0;
  const what = made
    ? `Larger pictures for the viewer (${widths.join(', ')}) are ${count} of the files, about ${bytesText(bytes)}.`
    : `The viewer shows pictures ${shown} wide, and originals are larger: media.viewerWidths: [${widths.join(', ')}] would make ${countText(count, 'more file')}, about ${bytesText(bytes)}.`;
  return [finding('viewer-widths', { made, widths, shown, files: count, bytes }, what)];
}

/** A URL without its parts that may hold secrets: user, password, query. */
function publicUrl(address: string | undefined): string {
  const url = URL.parse(address ?? '');
  if (!url) return 'a picture without a URL';
  return `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`;
}

/** Failed pictures by code, as severe as the result of a build if all pictures fail as the sample does. */
function sampleFailures(
  failures: MediaResult['failures'],
  tried: number,
  { publish }: Pick<LoadedConfig, 'publish'>,
): Finding[] {
  const stops = tooManyMissing({ pictures: tried, missing: failures.length }, publish);
  const allowed = publish.maxPictureFailures;
  const why = `A build ${stops ? 'would stop' : 'publishes without them'}: publish.maxPictureFailures allows ${Math.round(allowed * 100)} %.`;
  return [...Map.groupBy(failures, ({ code }) => code)].map(([code, alike]) => {
    const count = alike.length;
    const pictures = alike.map(({ url, message }) => ({ url: publicUrl(url), message }));
    const fixes = [...new Set(alike.map(failureAdvice))];
    const lines = pictures.map(({ url, message }) => `${url}: ${message}`);
    const what = `${count} of ${countText(tried, 'sample picture')} failed with ${code}:`;
    const args = { code, count, tried, stops, allowed, pictures, fixes };
    return {
      ...finding('picture-fails', args, [what, ...lines].join('\n'), { why, fix: fixes.join(' ') }),
      severity: stops ? 'error' : 'warning',
    };
  });
}

interface PictureOptions {
  config: LoadedConfig;
  vehicles: readonly Vehicle[];
  /** Folder for the sample, which goes when the check ends. */
  folder: string;
  now: number;
  signal?: AbortSignal | undefined;
}

/**
 * Whether pictures can be had: their hosts are allowed, and a sample passes through the real line
 * of guarded download and encoder. From the sample follows how large the whole will be.
 */
export async function checkPictureDownloads(options: PictureOptions): Promise<PictureCheck> {
  const { config, vehicles, folder, now, signal } = options;
  const sources = planSources(vehicles, recipeBook(config.media), posterOf(config));
  const media = mediaOf(config);
  const rules = hostRules(config.service.baseUrl, media.hosts);
  const forbidden = new Map<string, number>();
  const allowed = sources.filter((source) => {
    const address = new URL(source.url ?? '');
    if (isAllowedHost(address, rules)) return true;
    // What may stand in media.hosts: a port only where it is not the scheme's own.
    if (!source.optional)
      countName(forbidden, address.port ? hostAndPort(address) : address.hostname);
    return false;
  });
  const findings: Finding[] = [];
  if (forbidden.size > 0) {
    const hosts = Object.fromEntries(forbidden);
    const names = [...forbidden.keys()].slice(0, 10).map((host) => `'${host}'`);
    const what = `Pictures come from hosts that are not allowed: ${counted(hosts)}.`;
    const fix = `Add to media.hosts in site.config.ts, if they are your vendor's: ${names.join(', ')}`;
    findings.push(finding('picture-hosts', { hosts }, what, { fix }));
  }
  // Stills of videos have stand-ins: no build fails for one.
  const sample = sampleOf(allowed.filter(({ optional }) => !optional));
  const start = performance.now();
  const line = await runMediaLine({
    sources: sample,
    media,
    baseUrl: config.service.baseUrl,
    cacheDir: folder,
    now,
    ...(signal && { signal }),
  });
  const { downloaded, downloadedBytes, outputsMade } = line.counts;
  findings.push(...sampleFailures(line.failures, sample.length, config));
  if (outputsMade > 0) {
    const ms = Math.round(performance.now() - start);
    const args = { count: downloaded, ms, downloadedBytes, outputs: outputsMade };
    const what = `${countText(downloaded, 'sample picture')} (${bytesText(downloadedBytes)}) became ${countText(outputsMade, 'thumbnail')} in ${timeText(ms)}.`;
    findings.push(finding('pictures-arrive', args, what));
  }
  const measured = await measure(sample, line);
  findings.push(...checkViewer(media, allowed, measured));
  const { largest } = measured;
  const thumbnails = { ...sumOf(allowed, ({ recipes }) => recipes, measured), largest };
  return { findings, thumbnails, media: line };
}
