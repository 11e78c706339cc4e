import { z } from 'zod';
import type { SiteFile } from '../../change-set/change-set.ts';
import type { DeploySettings } from '../../config/deploy-settings.ts';
import { ConfigError, GateError, printable, UnreachableError } from '../../errors.ts';
import type { HttpRequest } from '../../lib/http/http.ts';
import { matchingJson } from '../../lib/json.ts';
import { timeText } from '../../lib/terminal/progress.ts';
import { closingHttp, type HostHttpSettings, jsonBody } from '../host-api/http.ts';
import { checkLiveRelease, labelOf, releaseOf } from '../host-api/live-release.ts';
import { onePerContent, sendFiles } from '../host-api/send-files.ts';
import type { DeployPlan, DeploySource, Host, HostRun, Release, Sent } from '../host-api/types.ts';

/**
 * Deploys to Netlify by file digests: it receives the SHA-1 of every file, requests missing ones, and
 * publishes the site when it has all of them. Sources: docs.netlify.com, "Get started with the Netlify API",
 * swagger.yml of netlify/open-api, and src/utils/deploy of netlify/cli.
 */

/** Netlify accepts 500 requests a minute. Other programs may use the same token. */
const HTTP: HostHttpSettings = {
  code: 'netlify',
  name: 'Netlify',
  fix: 'Check NETLIFY_AUTH_TOKEN and NETLIFY_SITE_ID. See docs/hosting.md.',
  address: 'NETLIFY_API_URL',
  pace: { requests: 450, window: 60_000 },
};

/** It accepts five uploads at once. */
const AT_ONCE = 4;
/** Maximum number of deploys in one list. */
const PAGE = 100;
/** Milliseconds before each request for the state of a deploy. The last one repeats. */
const POLLS = [300, 500, 1000, 2000];
const LONGEST_WAIT = 10 * 60_000;

/** States in which a deploy lists missing files. */
const COMPARED = ['prepared', 'uploading', 'uploaded', 'ready'];

const deploySchema = z.object({
  id: z.string(),
  state: z.string(),
  title: z.string().nullish(),
  required: z.array(z.string()).nullish(),
  error_message: z.string().nullish(),
  locked: z.boolean().nullish(),
});
type Deploy = z.infer<typeof deploySchema>;

const siteSchema = z.object({
  build_settings: z
    .object({ repo_url: z.string().nullish(), stop_builds: z.boolean().nullish() })
    .nullish(),
  processing_settings: z
    .object({ html: z.object({ pretty_urls: z.boolean().nullish() }).nullish() })
    .nullish(),
  published_deploy: deploySchema.nullish(),
});

const hexOf = (hash: string): string => Buffer.from(hash, 'base64url').toString('hex');

export class Netlify implements Host {
  readonly id = 'netlify';
  readonly http = HTTP;
  readonly rules = 'files';
  readonly #settings: DeploySettings['netlify'];
  readonly #site: string;

  constructor(settings: DeploySettings['netlify']) {
    this.#settings = settings;
    this.#site = `/sites/${encodeURIComponent(settings.site)}`;
  }

  async plan(source: DeploySource, run: HostRun): Promise<DeployPlan> {
    const site = await this.#siteState(run);
    const { build_settings: build, published_deploy: live } = site;
    if (build?.repo_url && !build.stop_builds && !run.takeOver) {
      throw new ConfigError({
        code: 'deploy-host-builds',
        what: 'Netlify builds this site from a repository.',
        why: 'Each push there would replace this deploy.',
        fix: 'Unlink the repository or stop its builds at Netlify, use another site, or deploy with --take-over.',
      });
    }
    if (live?.locked) {
      throw new ConfigError({
        code: 'netlify-locked',
        what: 'Auto publishing of this site is stopped at Netlify.',
        why: 'Netlify would accept a new deploy, but visitors would still see the previous one.',
        fix: 'Start auto publishing in the list of deploys at Netlify, and deploy again.',
      });
    }
    const release = releaseOf(live?.title);
    const notes = release ? checkLiveRelease(release, source, run) : [];
    const altersPages = site.processing_settings?.html?.pretty_urls === true;
    const note =
      'Netlify alters pages (Pretty URLs in the settings of the site): they are not compared after the deploy.';
    return {
      send: undefined,
      remove: [],
      unchanged: 0,
      notes: altersPages ? [...notes, note] : notes,
      altersPages,
    };
  }

  async deploy(source: DeploySource, _: DeployPlan, run: HostRun): Promise<Sent> {
    const all = [...source.files.values()];
    const files = Object.fromEntries(all.map(({ path, hash }) => [path, hexOf(hash)]));
    const request = {
      method: 'POST',
      url: `${this.#site}/deploys?title=${encodeURIComponent(labelOf(source))}`,
      what: 'the list of files',
      // Without async, Netlify responds only after comparing all files, and times out after 30 seconds.
      ...jsonBody({ files, async: true, draft: false }),
    } as const;
    const { id } = await this.#ask(run, request, deploySchema);
    try {
      const { required } = await this.#wait(run, id, COMPARED);
      const requested = new Set(required);
      const missing = all.filter(({ hash }) => requested.has(hexOf(hash)));
      const toSend = onePerContent(missing, source, ({ hash }) => hash);
      const sent = await sendFiles([...toSend.values()], source, run, {
        atOnce: AT_ONCE,
        send: (file, bytes) => this.#upload(run, id, file, bytes),
      });
      await this.#wait(run, id, ['ready']);
      return { ...sent, unchanged: all.length - missing.length, release: id };
    } catch (error) {
      await this.#cancel(run, id);
      throw error;
    }
  }

  async releases(run: HostRun): Promise<Release[]> {
    const url = `${this.#site}/deploys?per_page=${PAGE}`;
    const request = { method: 'GET', url, what: 'the list of deploys' } as const;
    const [site, deploys] = await Promise.all([
      this.#siteState(run),
      this.#ask(run, request, z.array(deploySchema)),
    ]);
    return deploys.flatMap(({ id, state, title }) => {
      const at = releaseOf(title)?.built;
      const isLive = id === site.published_deploy?.id;
      return state === 'ready' && at !== undefined ? [{ id, at, isLive }] : [];
    });
  }

  async show({ id }: Release, run: HostRun): Promise<void> {
    const url = `${this.#site}/deploys/${encodeURIComponent(id)}/restore`;
    await this.#ask(run, { method: 'POST', url, what: 'going back' }, deploySchema);
  }

  #siteState(run: HostRun) {
    const request = { method: 'GET', url: this.#site, what: 'the state of the site' } as const;
    return this.#ask(run, request, siteSchema);
  }

  /** @param request its URL is relative to the API. */
  async #ask<T>(run: HostRun, request: HttpRequest, schema: z.ZodType<T>): Promise<T> {
    const headers = { ...this.#headers(), ...request.headers };
    const url = this.#settings.api + request.url;
    const { bytes } = await run.http.send({ ...request, url, headers });
    const value = matchingJson(bytes, schema);
    if (value === undefined) throw run.http.unusable(request.what);
    return value;
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#settings.token.reveal()}` };
  }

  #upload(run: HostRun, id: string, { path }: SiteFile, body: Buffer): Promise<unknown> {
    const name = path.split('/').map(encodeURIComponent).join('/');
    return run.http.send({
      method: 'PUT',
      url: `${this.#settings.api}/deploys/${encodeURIComponent(id)}/files/${name}`,
      headers: { ...this.#headers(), 'content-type': 'application/octet-stream' },
      body,
      // Both are transient until all of Netlify's machines have received the deploy.
      retryable: [401, 404],
      what: path,
    });
  }

  /** Waits until a deploy is in one of these states. */
  async #wait(run: HostRun, id: string, states: readonly string[]): Promise<Deploy> {
    const url = `${this.#site}/deploys/${encodeURIComponent(id)}`;
    const request = { method: 'GET', url, what: 'the state of the deploy' } as const;
    const end = run.clock.now() + LONGEST_WAIT;
    for (let poll = 0; run.clock.now() < end; poll++) {
      await run.clock.sleep(POLLS[poll] ?? POLLS.at(-1) ?? 0, run.signal);
      const deploy = await this.#ask(run, request, deploySchema);
      if (states.includes(deploy.state)) return deploy;
      if (deploy.state === 'error') {
        throw new GateError({
          code: 'netlify-failed',
          what: 'Netlify accepted the files but did not publish them. The live site is unchanged.',
          why: `It reported: "${printable(deploy.error_message ?? 'error')}".`,
          fix: 'Open this deploy in the list at Netlify and read its log. Mistakes in _headers or _redirects are a common cause.',
        });
      }
      run.console.progress(`Netlify is processing the deploy (${printable(deploy.state)})`, 0);
    }
    throw new UnreachableError({
      code: 'netlify-slow',
      what: `Netlify did not finish the deploy within ${timeText(LONGEST_WAIT)}.`,
      why: 'It may be overloaded: www.netlifystatus.com.',
      fix: 'Deploy again later. Finished uploads are not repeated. The live site is unchanged.',
    });
  }

  /** Ends a failed deploy, so that Netlify stops waiting for its files. Ignores errors. */
  async #cancel(run: HostRun, id: string): Promise<void> {
    const url = `/deploys/${encodeURIComponent(id)}/cancel`;
    await using http = closingHttp(HTTP, run.clock);
    const request = { method: 'POST', url, what: 'the end of the deploy' } as const;
    await this.#ask({ ...run, http }, request, deploySchema).catch(() => {});
  }
}
