import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pMap from 'p-map';
import { resolveConfig } from '../../config/load.ts';
import type { Secret } from '../../config/secret.ts';
import { AppError } from '../../errors.ts';
import { hostAndPort, hostRules, isAllowedHost } from '../../media/download/hosts.ts';
import { getMediaByDealer } from '../../service/media-by-dealer.ts';
import { getMyVideos } from '../../service/my-videos.ts';
import { acceptAnswer } from '../../stock/accept.ts';
import { clickNames, hostedVideoPrefix } from '../doctor/names.ts';
import { type Answers, toConfig } from './answers.ts';

export interface Detected {
  /** Hosts of pictures that the answers do not allow yet, most pictures first. */
  pictureHosts: string[];
  /** Prefix of the hosted-video fields, where it is another than the answers say. */
  hostedVideo: string | undefined;
  /** Names of the click counts of batches, likewise. */
  clicks: Answers['clicks'];
  /** Why a dealer or account could not be asked. */
  problems: AppError[];
}

/** How many hosts are proposed: a vendor has one or two. */
const MOST_HOSTS = 10;

/**
 * Asks the service once for each dealer and account, for what nobody should have to look up: the
 * hosts that its pictures come from, and the real names of fields. Leaves nothing behind.
 */
export async function detect(
  answers: Answers,
  keys: ReadonlyMap<string, Secret>,
  signal?: AbortSignal,
): Promise<Detected> {
  const env = Object.fromEntries([...keys].map(([name, key]) => [name, key.reveal()]));
  const config = resolveConfig(
    { ...toConfig(answers), service: { ...toConfig(answers).service, retries: 1 } },
    { file: 'site.config.ts', keysFor: 'dealers', env },
  );
  const folder = await mkdtemp(path.join(tmpdir(), 'site-init-'));
  const problems: AppError[] = [];
  const counts = new Map<string, number>();
  let hostedVideo: string | undefined;
  let clicks: Answers['clicks'] = {};
  const note = (error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    problems.push(error);
  };
  const rules = hostRules(config.service.baseUrl, config.media.hosts);
  try {
    await pMap(
      config.dealers,
      async (dealer) => {
        try {
          const body = await getMediaByDealer({
            service: config.service,
            dealer,
            cacheDir: folder,
            ...(signal && { signal }),
          });
          hostedVideo ??= hostedVideoPrefix(body, answers.hostedVideo);
          const { vehicles } = acceptAnswer(body, dealer.id, config.service.fieldNames);
          for (const one of vehicles.flatMap(({ media }) => media)) {
            if (one.kind !== 'image') continue;
            const url = new URL(one.url);
            if (isAllowedHost(url, rules)) continue;
            const host = url.port ? hostAndPort(url) : url.hostname;
            counts.set(host, (counts.get(host) ?? 0) + 1);
          }
        } catch (error) {
          note(error);
        }
      },
      { concurrency: config.service.concurrency },
    );
    for (const account of config.accounts) {
      try {
        const body = await getMyVideos({
          service: config.service,
          account,
          daysOfHistory: account.daysOfHistory,
          ...(signal && { signal }),
        });
        clicks = { ...clickNames(body, config.service.fieldNames), ...clicks };
      } catch (error) {
        note(error);
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const pictureHosts = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([host]) => host)
    .slice(0, MOST_HOSTS);
  return { pictureHosts, hostedVideo, clicks, problems };
}
