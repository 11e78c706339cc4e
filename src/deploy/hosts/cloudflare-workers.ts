import { hash } from 'node:crypto';
import { posix } from 'node:path';
import { z } from 'zod';
import type { CloudflareSettings } from '../../config/deploy-settings.ts';
import { ConfigError, GateError } from '../../errors.ts';
import type { SiteFile } from '../../publish/change-set/change-set.ts';
import { noRelease } from '../host-api/errors.ts';
import type { HostHttpSettings } from '../host-api/http.ts';
import { checkLiveRelease } from '../host-api/live-release.ts';
import type { DeployPlan, DeploySource, Host, HostRun, Release, Sent } from '../host-api/types.ts';
import { CloudflareApi } from './cloudflare/api.ts';
import { metadataForm } from './cloudflare/form.ts';
import { type Manifest, uploadAssets } from './cloudflare/upload.ts';

/**
 * A Worker that is nothing but static assets. It takes a list of hashes and asks for what it lacks
 * (https://developers.cloudflare.com/workers/static-assets/direct-upload/); a new version is served
 * whole or not at all.
 */

/** How Cloudflare is asked. It takes 1,200 requests in five minutes; others may ask with the same token. */
export const CLOUDFLARE_HTTP: HostHttpSettings = {
  code: 'cloudflare',
  name: 'Cloudflare',
  fix: 'Check CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID, and that the token may edit Workers Scripts; docs/hosting.md says where they come from.',
  pace: { requests: 1100, window: 5 * 60_000 },
};

/** Begins the message of each version of ours; after it stands when the site was built. */
const OURS = 'vehicle-media-site ';

/** What the runtime does by itself does not change with the years: there is no script to feel it. */
const COMPATIBILITY_DATE = '2026-01-01';

/** Rules for the host that are no files of the site: sent as texts, with the most that it obeys. */
const RULES = {
  // 100 rules; 2,000 static redirects and 100 others; 2,000 characters a line; what is beyond is
  // left out without a word (cloudflare/workers-sdk, packages/workers-shared/utils/configuration).
  _headers: { rules: 100, isRule: (line: string) => /^(?:\S+:\/\/|\/)/.test(line) },
  _redirects: { rules: 2100, isRule: (line: string) => line !== '' && !line.startsWith('#') },
} as const;
const LINE = 2000;

const versionSchema = z.object({
  id: z.string(),
  metadata: z.object({ created_on: z.string() }),
  annotations: z.object({ 'workers/message': z.string().optional() }).nullish(),
});
type Version = z.infer<typeof versionSchema>;

const deploymentsSchema = z.object({
  deployments: z.array(
    z.object({ versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })) }),
  ),
});

/** When the site of a version was built; undefined where we did not make it. */
function builtOf({ annotations }: Version): string | undefined {
  const message = annotations?.['workers/message'] ?? '';
  return message.startsWith(OURS) ? message.slice(OURS.length) : undefined;
}

/**
 * The name of a content at the host. It knows the type of a content by its name alone, so that must
 * differ where types do; any 32 hex digits will do.
 */
function assetHash({ path, hash: sum }: SiteFile): string {
  const extension = posix.extname(path).slice(1).toLowerCase();
  return hash('sha256', `${sum}.${extension}`, 'hex').slice(0, 32);
}

/** All files but those that are rules, as the host wants them listed. */
const manifestOf = (source: DeploySource): Manifest =>
  new Map(
    [...source.files.values()]
      .filter(({ path }) => !(path in RULES))
      .map((file) => [`/${file.path}`, { hash: assetHash(file), file }] as const),
  );

const ignoredRules = (what: string): GateError =>
  new GateError({
    code: 'deploy-too-large',
    what,
    why: 'It would leave out the rest without a word. Nothing was sent.',
    fix: 'Have fewer or shorter rules, or choose another host: see the limits in docs/hosting.md.',
  });

/** The texts of rules. @throws {GateError} the host would leave out some of them. */
async function rulesOf(source: DeploySource): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const [name, { rules, isRule }] of Object.entries(RULES)) {
    const file = source.files.get(name);
    if (!file) continue;
    const text = String(await source.bytes(file));
    const lines = text.split('\n').map((line) => line.trim());
    const count = lines.filter(isRule).length;
    const longest = Math.max(...lines.map((line) => line.length));
    if (count > rules) throw ignoredRules(`${name} has ${count} rules; Cloudflare obeys ${rules}.`);
    if (longest > LINE) {
      throw ignoredRules(
        `A line of ${name} has ${longest} characters; Cloudflare obeys lines of ${LINE}.`,
      );
    }
    texts[name] = text;
  }
  return texts;
}

/** What is served now. */
interface Live {
  /** Versions that were served, the last ten or so, the newest first. */
  history: string[];
  /** Undefined where nothing is served. */
  version: Version | undefined;
}

export function cloudflareWorkersHost(settings: CloudflareSettings): Host {
  const { worker } = settings;

  /** Undefined where there is no such Worker yet. */
  async function look(api: CloudflareApi): Promise<Live | undefined> {
    const what = `the look at the Worker ${worker}`;
    const found = await api.ask(
      { method: 'GET', path: 'deployments', also: [404], what },
      deploymentsSchema,
    );
    if ('status' in found) return undefined;
    const history = found.deployments.map(({ versions }) => {
      // Somebody may be trying out another version on a part of the visitors.
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
  function check(live: Live | undefined, source: DeploySource, run: HostRun): string[] {
    if (!live?.version) return [];
    const built = builtOf(live.version);
    if (built !== undefined) return checkLiveRelease(built, source, run);
    if (!run.takeOver) {
      throw new ConfigError({
        code: 'worker-not-ours',
        what: `The Worker ${worker} serves something that this program did not put there.`,
        why: 'A deploy would take its place.',
        fix: 'Choose another name in CLOUDFLARE_WORKER, or deploy once with --take-over.',
      });
    }
    return [];
  }

  /** Gives it an address that needs no domain. */
  async function openAddress(api: CloudflareApi, run: HostRun): Promise<void> {
    const address = await api.openAddress();
    const text =
      address === undefined
        ? `The Worker ${worker} has no address yet: connect a domain to it in Cloudflare's dashboard, or choose a name on workers.dev there and switch it on.`
        : `The Worker ${worker} is served at ${address}.`;
    run.notify({ kind: 'line', text });
  }

  async function plan(source: DeploySource, run: HostRun): Promise<DeployPlan> {
    const live = await look(new CloudflareApi(settings, run));
    const notes = check(live, source, run);
    await rulesOf(source);
    return {
      send: undefined,
      remove: [],
      unchanged: 0,
      notes: live ? notes : [`There is no Worker ${worker} yet: it is made.`],
    };
  }

  async function deploy(source: DeploySource, _: DeployPlan, run: HostRun): Promise<Sent> {
    const api = new CloudflareApi(settings, run);
    const rules = await rulesOf(source);
    const manifest = manifestOf(source);
    const uploaded = await uploadAssets(manifest, source, api, run);
    const message = `${OURS}${source.built}`;
    const metadata = {
      assets: {
        jwt: uploaded.token,
        config: {
          html_handling: 'auto-trailing-slash',
          not_found_handling: '404-page',
          ...rules,
        },
      },
      annotations: { 'workers/message': message },
      compatibility_date: COMPATIBILITY_DATE,
    };
    const form = await metadataForm(metadata);
    // Uploads can take an hour: what is served now may be another's by now, or newer.
    const live = await look(api);
    check(live, source, run);
    let release: string | undefined;
    if (live) {
      const isUnfinished = live.history.length <= 1 && isWorkersDev(source.site);
      // The first deploy was cut off before it had an address: what has one is never touched.
      if (isUnfinished) await openAddress(api, run);
      const made = await api.ask(
        { method: 'POST', path: 'versions', ...form, what: 'the new version' },
        z.object({ id: z.string() }),
      );
      release = made.id;
      await api.serve(made.id, message);
    } else {
      await api.ask({ method: 'PUT', path: '', ...form, what: 'the new Worker' }, z.object({}));
      await openAddress(api, run);
    }
    const { asked, files, bytes, fetched } = uploaded;
    const unchanged = [...manifest.values()].filter((entry) => !asked.has(entry.hash)).length;
    return { files, bytes, removed: source.gone.length, unchanged, fetched, release };
  }

  /** What is served, and versions of ours that were, the newest first. */
  async function versionsOf(run: HostRun) {
    const api = new CloudflareApi(settings, run);
    const live = await look(api);
    if (!live) return { api, live: undefined, ours: [] };
    const { items } = await api.ask(
      { method: 'GET', path: 'versions?deployable=true', what: 'the versions of the Worker' },
      z.object({ items: z.array(versionSchema) }),
    );
    const oldest = items.findLastIndex(({ id }) => live.history.includes(id));
    // A version that was made just before a cut was never served; of old ones nobody knows any more.
    const ours = items.filter(
      (one, index) =>
        builtOf(one) !== undefined && (live.history.includes(one.id) || index > oldest),
    );
    return { api, live: live.version, ours };
  }

  const releaseOf = (version: Version, live: Version | undefined): Release => ({
    id: version.id,
    at: version.metadata.created_on,
    isLive: version.id === live?.id,
  });

  async function rollback(to: string | undefined, run: HostRun): Promise<Release> {
    const { api, live, ours } = await versionsOf(run);
    const place = ours.findIndex(({ id }) => id === live?.id);
    const chosen = to === undefined ? ours[place + 1] : ours.find(({ id }) => id === to);
    if (!chosen) throw noRelease('Cloudflare', to);
    await api.serve(chosen.id, chosen.annotations?.['workers/message'] ?? OURS);
    return releaseOf(chosen, chosen);
  }

  return {
    id: 'cloudflare-workers',
    atomic: true,
    plan,
    deploy,
    releases: async (run) => {
      const { live, ours } = await versionsOf(run);
      return ours.map((version) => releaseOf(version, live));
    },
    rollback,
  };
}

const isWorkersDev = (site: string | undefined): boolean =>
  URL.parse(site ?? '')?.hostname.endsWith('.workers.dev') === true;
