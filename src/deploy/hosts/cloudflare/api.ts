import { z } from 'zod';
import type { DeploySettings } from '../../../config/deploy-settings.ts';
import type { HttpRequest } from '../../../lib/http/http.ts';
import { matchingJson } from '../../../lib/json.ts';
import { type HostHttpSettings, jsonBody } from '../../host-api/http.ts';
import type { HostRun } from '../../host-api/types.ts';

/** Cloudflare accepts 1,200 requests in five minutes. Other programs may use the same token. */
export const HTTP: HostHttpSettings = {
  code: 'cloudflare',
  name: 'Cloudflare',
  fix: 'Check CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID, and that the token may edit Workers Scripts. See docs/hosting.md.',
  address: 'CLOUDFLARE_API_URL',
  pace: { requests: 1100, window: 5 * 60_000 },
};

/** A request about one Worker of one account. */
interface CloudflareRequest extends Pick<HttpRequest, 'method' | 'headers' | 'body' | 'what'> {
  /** Relative to the Worker, or to the account if it begins with a slash. */
  path: string;
  /** Token of an upload session, used instead of the account's token. */
  token?: string;
}

/** Attempts if Cloudflare reports success without a result. */
const EMPTY_RESPONSES = 4;

/** The part of Cloudflare's API that concerns one Worker. */
export class CloudflareApi {
  readonly #settings: DeploySettings['cloudflare-workers'];
  readonly #run: HostRun;

  constructor(settings: DeploySettings['cloudflare-workers'], run: HostRun) {
    this.#settings = settings;
    this.#run = run;
  }

  /** Sends a request and returns the result in the response. */
  async ask<T extends object>(request: CloudflareRequest, schema: z.ZodType<T>): Promise<T> {
    return (await this.find(request, [], schema)) as T;
  }

  /** The same. Undefined if the status of the response is in `missing`. */
  async find<T extends object>(
    request: CloudflareRequest,
    missing: readonly number[],
    schema: z.ZodType<T>,
  ): Promise<T | undefined> {
    const { clock, http, signal } = this.#run;
    for (let tries = 1; ; tries++) {
      const response = await this.#send(request, missing);
      if (response.status >= 300) return undefined;
      const parsed = matchingJson(response.bytes, z.object({ result: schema }));
      if (parsed) return parsed.result;
      // Cloudflare sometimes reports success with a null result (cloudflare/workers-sdk#9465).
      if (tries >= EMPTY_RESPONSES) throw http.unusable(request.what);
      await clock.sleep(1000 * 2 ** (tries - 1), signal);
    }
  }

  /** Makes a version live for all visitors. */
  async serve(version: string, message: string): Promise<void> {
    await this.ask(
      {
        method: 'POST',
        path: 'deployments',
        ...jsonBody({
          strategy: 'percentage',
          versions: [{ version_id: version, percentage: 100 }],
          annotations: { 'workers/message': message },
        }),
        what: 'the switch to the new version',
      },
      z.object({}),
    );
  }

  /** Serves the Worker on workers.dev, which needs no domain, and reports its URL. */
  async openAddress(): Promise<void> {
    const what = 'the address on workers.dev';
    const refused = [400, 403, 404, 409];
    // No preview URLs for old versions: they would show withdrawn vehicles.
    const body = jsonBody({ enabled: true, previews_enabled: false });
    const subdomain = await this.find(
      { method: 'POST', path: 'subdomain', ...body, what },
      refused,
      z.object({ enabled: z.boolean() }),
    );
    const account =
      subdomain?.enabled &&
      (await this.find(
        { method: 'GET', path: '/subdomain', what },
        refused,
        z.object({ subdomain: z.string() }),
      ));
    const { worker } = this.#settings;
    this.#run.console.line(
      account
        ? `The Worker ${worker} is served at https://${worker}.${account.subdomain}.workers.dev.`
        : `The Worker ${worker} has no address yet: connect a domain to it in Cloudflare's dashboard, or choose a name on workers.dev there and switch it on.`,
    );
  }

  #send({ path, token, headers, ...request }: CloudflareRequest, also: readonly number[]) {
    const { api, account, worker, token: accountToken } = this.#settings;
    const base = `${api}/accounts/${encodeURIComponent(account)}/workers`;
    const below = path.startsWith('/') ? path : `/scripts/${encodeURIComponent(worker)}/${path}`;
    return this.#run.http.send({
      ...request,
      also,
      url: `${base}${below}`.replace(/\/$/, ''),
      headers: { ...headers, authorization: `Bearer ${token ?? accountToken.reveal()}` },
    });
  }
}

/** Body and headers of a form request. */
export async function formBody(form: FormData) {
  const response = new Response(form);
  const type = response.headers.get('content-type') ?? '';
  return { headers: { 'content-type': type }, body: Buffer.from(await response.arrayBuffer()) };
}
