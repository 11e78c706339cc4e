import { z } from 'zod';
import type { DeploySettings } from '../../config/deploy-settings.ts';
import { ConfigError, GateError } from '../../errors.ts';
import {
  checkLiveRelease,
  type LiveRelease,
  labelOf,
  releaseOf,
} from '../host-api/live-release.ts';
import type { DeployPlan, DeploySource, Host, HostRun, Release, Sent } from '../host-api/types.ts';
import { CloudflareApi, formBody, HTTP } from './cloudflare/api.ts';
import { assetHash, uploadAssets } from './cloudflare/upload.ts';

/** Needs no updates: without a script, runtime changes have no effect. */
const COMPATIBILITY_DATE = '2026-01-01';

/** Rule files, which are sent as text, and the host's limits for them. */
const RULES = {
  // 100 rules, 2,000 static redirects and 100 others, 2,000 characters a line. The host silently ignores
  // the rest (cloudflare/workers-sdk, packages/workers-shared/utils/configuration).
  _headers: { rules: 100, isRule: (line: string) => /^(?:\S+:\/\/|\/)/.test(line) },
  _redirects: { rules: 2100, isRule: (line: string) => line !== '' && !line.startsWith('#') },
} as const;
const LINE = 2000;

const versionSchema = z.object({
  id: z.string(),
  annotations: z.object({ 'workers/message': z.string().optional() }).nullish(),
});
type Version = z.infer<typeof versionSchema>;

const deploymentsSchema = z.object({
  deployments: z.array(
    z.object({ versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })) }),
  ),
});

/** The release of a version. Undefined for a version of another program. */
const releaseIn = ({ annotations }: Version): LiveRelease | undefined =>
  releaseOf(annotations?.['workers/message']);

const ignoredRules = (what: string): GateError =>
  new GateError({
    code: 'deploy-too-large',
    what,
    why: 'It would silently ignore the rest. Nothing was sent.',
    fix: 'Write fewer or shorter rules, or choose another host: see the limits in docs/hosting.md.',
  });

/** The content of the rule files. @throws {GateError} the host would ignore some rules. */
async function rulesOf(source: DeploySource): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const [name, { rules, isRule }] of Object.entries(RULES)) {
    const file = source.files.get(name);
    if (!file) continue;
    const text = String(await source.bytes(file));
    const lines = text.split('\n').map((line) => line.trim());
    const count = lines.filter(isRule).length;
    const longest = Math.max(...lines.map((line) => line.length));
    if (count > rules) throw ignoredRules(`${name} has ${count} rules. Cloudflare obeys ${rules}.`);
    if (longest > LINE) {
      throw ignoredRules(
        `A line of ${name} has ${longest} characters. Cloudflare obeys lines of ${LINE}.`,
      );
    }
    texts[name] = text;
  }
  return texts;
}

interface Live {
  /** Versions that were served, the last ten or so, the newest first. */
  history: string[];
  /** Undefined if nothing is served. */
  version: Version | undefined;
}

/**
 * A Worker that only has static assets. It receives a list of hashes and requests missing files
 * (https://developers.cloudflare.com/workers/static-assets/direct-upload/). A new version is served
 * completely or not at all.
 */
export class CloudflareWorkers implements Host {
  readonly id = 'cloudflare-workers';
  readonly http = HTTP;
  readonly rules = 'settings';
  readonly #settings: DeploySettings['cloudflare-workers'];

  constructor(settings: DeploySettings['cloudflare-workers']) {
    this.#settings = settings;
  }

  async plan(source: DeploySource, run: HostRun): Promise<DeployPlan> {
    const live = await this.#readLive(this.#api(run));
    const notes = this.#check(live, source, run);
    await rulesOf(source);
    const { worker } = this.#settings;
    return {
      send: undefined,
      remove: [],
      unchanged: 0,
      notes: live ? notes : [`There is no Worker ${worker} yet. The deploy creates it.`],
    };
  }

  async deploy(source: DeploySource, _: DeployPlan, run: HostRun): Promise<Sent> {
    const api = this.#api(run);
    const rules = await rulesOf(source);
    const files = [...source.files.values()].filter(({ path }) => !(path in RULES));
    const { token, requested, ...sent } = await uploadAssets(files, source, api, run);
    const message = labelOf(source);
    const form = await versionForm(token, rules, message);
    // Uploads can take an hour: meanwhile another program or a newer deploy may have replaced the site.
    const live = await this.#readLive(api);
    this.#check(live, source, run);
    const unchanged = files.filter((file) => !requested.has(assetHash(file))).length;
    if (!live) {
      await api.ask({ method: 'PUT', path: '', ...form, what: 'the new Worker' }, z.object({}));
      await api.openAddress();
      return { ...sent, unchanged };
    }
    const isWorkersDev = URL.parse(source.site ?? '')?.hostname.endsWith('.workers.dev');
    // The first deploy was interrupted before it had an address. An existing address never changes.
    if (isWorkersDev && live.history.length <= 1) await api.openAddress();
    const { id } = await api.ask(
      { method: 'POST', path: 'versions', ...form, what: 'the new version' },
      z.object({ id: z.string() }),
    );
    await api.serve(id, message);
    return { ...sent, unchanged, release: id };
  }

  /** This program's versions that are or were live, the newest first. */
  async releases(run: HostRun): Promise<Release[]> {
    const api = this.#api(run);
    const live = await this.#readLive(api);
    if (!live) return [];
    const { items } = await api.ask(
      { method: 'GET', path: 'versions?deployable=true', what: 'the versions of the Worker' },
      z.object({ items: z.array(versionSchema) }),
    );
    const oldest = items.findLastIndex(({ id }) => live.history.includes(id));
    return items.flatMap((version, index) => {
      const at = releaseIn(version)?.built;
      // A version whose deploy was interrupted was never live. The history does not include the oldest versions.
      const wasLive = live.history.includes(version.id) || index > oldest;
      const { id } = version;
      return at !== undefined && wasLive ? [{ id, at, isLive: id === live.version?.id }] : [];
    });
  }

  show({ id, at }: Release, run: HostRun): Promise<void> {
    return this.#api(run).serve(id, `vehicle-media-site ${at}`);
  }

  #api(run: HostRun): CloudflareApi {
    return new CloudflareApi(this.#settings, run);
  }

  /** Undefined if the Worker does not exist yet. */
  async #readLive(api: CloudflareApi): Promise<Live | undefined> {
    const what = `the state of the Worker ${this.#settings.worker}`;
    const request = { method: 'GET', path: 'deployments', what } as const;
    const response = await api.find(request, [404], deploymentsSchema);
    if (!response) return undefined;
    const history = response.deployments.map(({ versions }) => {
      // A user may be testing another version on some of the visitors.
      const [most] = [...versions].sort((a, b) => b.percentage - a.percentage);
      return most?.version_id ?? '';
    });
    const [id] = history;
    const version = id
      ? await api.ask({ method: 'GET', path: `versions/${id}`, what }, versionSchema)
      : undefined;
    return { history, version };
  }

  /**
   * @returns notes for the user.
   * @throws {ConfigError} another program's Worker. @throws {GateError} a newer site is served.
   */
  #check(live: Live | undefined, source: DeploySource, run: HostRun): string[] {
    if (!live?.version) return [];
    const release = releaseIn(live.version);
    if (release) return checkLiveRelease(release, source, run);
    if (run.takeOver) return [];
    throw new ConfigError({
      code: 'worker-not-ours',
      what: `The Worker ${this.#settings.worker} serves a site of another program.`,
      why: 'A deploy would replace it.',
      fix: 'Choose another name in CLOUDFLARE_WORKER, or deploy once with --take-over.',
    });
  }
}

/** The request for a new version. @param token of the uploaded files. @param message its label at the host. */
function versionForm(token: string, rules: Record<string, string>, message: string) {
  const config = { html_handling: 'auto-trailing-slash', not_found_handling: '404-page', ...rules };
  const metadata = {
    assets: { jwt: token, config },
    annotations: { 'workers/message': message },
    compatibility_date: COMPATIBILITY_DATE,
  };
  const parts = new FormData();
  parts.append('metadata', JSON.stringify(metadata));
  return formBody(parts);
}
