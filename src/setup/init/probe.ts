import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pMap from 'p-map';
import { resolveConfig } from '../../config/load.ts';
import { configSchema } from '../../config/schema.ts';
import { Secret } from '../../config/secret.ts';
import { AppError, ConfigError } from '../../errors.ts';
import { isRefusedHost } from '../../images/download/guarded-agent.ts';
import { hostAndPort, hostRules, isAllowedHost } from '../../images/download/hosts.ts';
import { getMediaByDealer } from '../../service/media-by-dealer.ts';
import { getMyVideos } from '../../service/my-videos.ts';
import { acceptAnswer } from '../../stock/accept.ts';
import { clickNames, hostedVideoPrefix } from '../doctor/names.ts';
import { type Answers, BATCH_KEY } from './answers.ts';

/** What the service's answers say, so that nobody should have to look it up. */
export interface Detected {
  /** Hosts of pictures that the answers do not allow yet, most pictures first. */
  pictureHosts: string[];
  /** Hosts of pictures that a build refuses, since they have no public address. */
  refusedHosts: string[];
  /** Prefix of the hosted-video fields, where it is another than the answers say. */
  hostedVideo: string | undefined;
  /** Names of the click counts of batches, likewise. */
  clicks: Answers['clicks'];
}

/** The text about hosts that are not proposed; undefined if there is none. */
export const refusedText = ({ refusedHosts }: Detected): string | undefined =>
  refusedHosts.length === 0
    ? undefined
    : `Pictures also come from ${refusedHosts.join(', ')}: not a public address, so a build refuses them. Ask the vendor. If the network is yours, see media.privateNetworks in docs/configuration.md.`;

/** How many hosts are proposed: a vendor has one or two. */
const MOST_HOSTS = 10;

type Known = Pick<Answers, 'baseUrl' | 'hostedVideo' | 'clicks' | 'pictureHosts'>;

function serviceOf({ baseUrl, hostedVideo, clicks }: Known) {
  const fieldNames = { hostedVideo, ...clicks };
  const site = { title: 'T', url: 'https://cars.example' };
  const config = resolveConfig(
    { service: { baseUrl, fieldNames }, site },
    { file: 'site.config.ts' },
  );
  return { ...config.service, retries: 1 };
}

/** Asks the service once for each dealer and account, and remembers what its answers say. */
export class Probe {
  readonly #known: Known;
  readonly #signal: AbortSignal | undefined;
  readonly #hosts = new Map<string, number>();
  #hostedVideo: string | undefined;
  #clicks: Answers['clicks'] = {};

  constructor(known: Known, signal?: AbortSignal) {
    this.#known = known;
    this.#signal = signal;
  }

  /** Why a dealer's vehicles cannot be had with a key; undefined if they can. */
  dealer(
    { id, name }: Pick<Answers['dealers'][number], 'id' | 'name'>,
    apiKey: Secret,
    baseUrl: string,
  ) {
    return this.#attempt(async (signal) => {
      const service = serviceOf({ ...this.#known, baseUrl });
      const [parsed] = configSchema.shape.dealers.parse([
        { id, name: name || 'not named yet', slug: 'a' },
      ]);
      const cacheDir = await mkdtemp(path.join(tmpdir(), 'site-init-'));
      try {
        const asked = { ...(parsed as NonNullable<typeof parsed>), apiKey };
        const body = await getMediaByDealer({ service, dealer: asked, cacheDir, ...signal });
        this.#hostedVideo ??= hostedVideoPrefix(body, this.#known.hostedVideo);
        const { vehicles } = acceptAnswer(body, id, service.fieldNames);
        for (const one of vehicles.flatMap(({ media }) => media)) {
          if (one.kind !== 'image' || one.url === undefined) continue;
          const { origin } = new URL(one.url);
          this.#hosts.set(origin, (this.#hosts.get(origin) ?? 0) + 1);
        }
      } finally {
        await rm(cacheDir, { recursive: true, force: true });
      }
    });
  }

  /** Why an account's batches cannot be had with a key; undefined if they can. */
  account(account: Answers['accounts'][number], apiKey: Secret, baseUrl: string) {
    return this.#attempt(async (signal) => {
      const service = serviceOf({ ...this.#known, baseUrl });
      const [parsed] = configSchema.shape.accounts.parse([account]);
      const asked = { ...(parsed as NonNullable<typeof parsed>), apiKey };
      const { daysOfHistory } = asked;
      const body = await getMyVideos({ service, account: asked, daysOfHistory, ...signal });
      this.#clicks = { ...clickNames(body, service.fieldNames), ...this.#clicks };
    });
  }

  async #attempt(work: (signal: { signal?: AbortSignal }) => Promise<void>) {
    try {
      await work(this.#signal ? { signal: this.#signal } : {});
      return undefined;
    } catch (problem) {
      if (this.#signal?.aborted) {
        throw new ConfigError({
          code: 'init-cancelled',
          what: 'Nothing was written: it was interrupted.',
          fix: 'Run it again when you are ready.',
        });
      }
      if (!(problem instanceof AppError)) throw problem;
      return problem;
    }
  }

  /** What was found in all answers. */
  async found(baseUrl: string): Promise<Detected> {
    const rules = hostRules(baseUrl, this.#known.pictureHosts);
    const hosts = [...this.#hosts]
      .sort(([, a], [, b]) => b - a)
      .map(([origin]) => new URL(origin))
      .filter((url) => !isAllowedHost(url, rules))
      .slice(0, MOST_HOSTS);
    const named = await pMap(hosts, async (url) => ({
      name: url.port ? hostAndPort(url) : url.hostname,
      isRefused: await isRefusedHost(url.hostname),
    }));
    const namesOf = (refused: boolean) => [
      ...new Set(named.flatMap(({ name, isRefused }) => (isRefused === refused ? [name] : []))),
    ];
    const [pictureHosts, refusedHosts] = [namesOf(false), namesOf(true)];
    return { pictureHosts, refusedHosts, hostedVideo: this.#hostedVideo, clicks: this.#clicks };
  }
}

/** Asks for every dealer and account of some answers; gives why some could not be had. */
export async function askAll(
  probe: Probe,
  { baseUrl, dealers, accounts }: Answers,
  keys: ReadonlyMap<string, Secret>,
): Promise<AppError[]> {
  const keyOf = (name: string) => keys.get(name) ?? new Secret('');
  const problems = await pMap(
    [
      ...dealers.map((one) => () => probe.dealer(one, keyOf(one.apiKeyEnv), baseUrl)),
      ...accounts.map((one) => () => {
        return probe.account(one, keyOf(one.apiKeyEnv ?? BATCH_KEY), baseUrl);
      }),
    ],
    (ask) => ask(),
    { concurrency: 4 },
  );
  return problems.filter((problem) => problem !== undefined);
}
