import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import { countName } from '../../contract/parse.ts';
import { hostAndPort, hostRules, isAllowedHost } from '../../images/download/hosts.ts';
import { runMediaLine } from '../../images/line/line.ts';
import type { MediaResult } from '../../images/line/types.ts';
import { planSources, type Source } from '../../images/plan.ts';
import { type Content, type Output, outputsFor, recipeBook } from '../../images/recipes.ts';
import type { Vehicle, VideoMedia } from '../../stock/vehicle.ts';
import { providersOf } from '../../videos/configured.ts';
import { embedOf } from '../../videos/embed.ts';
import { type Finding, finding } from '../findings.ts';

/** How many pictures are fetched: enough for every host of a usual vendor, and a fair mean size. */
const SAMPLE = 8;

/** Where nothing of a picture is known: the size that most cameras of such services give. */
const USUAL: Content = { hash: '0'.repeat(20), width: 1600, height: 1200 };
/** Mean bytes of a thumbnail in the default configuration, where no sample could be had. */
const USUAL_BYTES = 40_000;

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
  return hosts.size > 0 ? [finding('embed-hosts', { hosts: Object.fromEntries(hosts) })] : [];
}

/** Every picture that a build would want, stills of videos among them. */
function allSources(config: LoadedConfig, vehicles: readonly Vehicle[]) {
  const providers = providersOf(config);
  const posterOf = (video: VideoMedia) =>
    config.videos.posters === 'picture' ? undefined : embedOf(video, providers).embed?.poster;
  const posterHosts = providers.flatMap((provider) => provider.posterHosts ?? []);
  return {
    sources: planSources(vehicles, recipeBook(config.media), posterOf),
    media: { ...config.media, hosts: [...config.media.hosts, ...posterHosts] },
  };
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

/** What all pictures will take, from what those of the sample took, kind by kind. */
async function estimate(
  sources: readonly Source[],
  sample: readonly Source[],
  { contentOf, folder }: MediaResult,
): Promise<PictureCheck['thumbnails']> {
  const known = sample.flatMap(({ key, recipes }) => {
    const content = contentOf(key);
    return content ? outputsFor(content, recipes) : [];
  });
  const sizes = await Promise.all(
    known.map(async (output) => {
      const found = await stat(path.join(folder, output.name)).catch(() => undefined);
      return { kind: kindOf(output), bytes: found?.size ?? 0 };
    }),
  );
  const mean = (all: readonly { bytes: number }[]): number =>
    all.length === 0 ? USUAL_BYTES : all.reduce((sum, { bytes }) => sum + bytes, 0) / all.length;
  const means = new Map(
    [...Map.groupBy(sizes, ({ kind }) => kind)].map(([kind, all]) => [kind, mean(all)]),
  );
  const overall = mean(sizes);
  const typical = sample.map(({ key }) => contentOf(key)).find((content) => content) ?? USUAL;
  let [count, bytes] = [0, 0];
  for (const { key, recipes } of sources) {
    for (const output of outputsFor(contentOf(key) ?? typical, recipes)) {
      count++;
      bytes += means.get(kindOf(output)) ?? overall;
    }
  }
  // Some picture is more detailed than those of the sample.
  const largest = 2 * Math.max(overall, ...sizes.map((one) => one.bytes));
  return { count, bytes: Math.round(bytes), largest: Math.round(largest) };
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
  const { sources, media } = allSources(config, vehicles);
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
    findings.push(finding('picture-hosts', { hosts: Object.fromEntries(forbidden) }));
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
  for (const [code, failures] of Map.groupBy(line.failures, (failure) => failure.code)) {
    const [first] = failures;
    if (!first) continue;
    findings.push(
      finding('picture-fails', {
        code,
        count: failures.length,
        tried: sample.length,
        message: first.message,
      }),
    );
  }
  if (outputsMade > 0) {
    const ms = Math.round(performance.now() - start);
    findings.push(
      finding('pictures-arrive', { count: downloaded, ms, downloadedBytes, outputs: outputsMade }),
    );
  }
  return { findings, thumbnails: await estimate(allowed, sample, line), media: line };
}
