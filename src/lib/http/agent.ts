import { Agent, type Dispatcher, EnvHttpProxyAgent, fetch, type RequestInit } from 'undici';
import { ConfigError } from '../../errors.ts';
import { isLoopback } from './loopback.ts';

/** Returns the error about a server that may not receive a request. */
type Refuse = (origin: URL) => Error | undefined;

/** Sends requests through the proxies in HTTP_PROXY and HTTPS_PROXY, except to hosts in NO_PROXY and to this machine. */
export class ProxiedAgent extends EnvHttpProxyAgent {
  readonly #direct: Agent;
  readonly #refuse: Refuse | undefined;

  constructor(options: Agent.Options, refuse?: Refuse) {
    super(options);
    this.#direct = new Agent(options);
    this.#refuse = refuse;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
    const origin = new URL(options.origin ?? '');
    const refusal = this.#refuse?.(origin);
    if (refusal) throw refusal;
    return isLoopback(origin)
      ? this.#direct.dispatch(options, handler)
      : super.dispatch(options, handler);
  }

  /** Ends all connections. */
  async end(): Promise<void> {
    await Promise.all([this.destroy(), this.#direct.destroy()]);
  }
}

/** @throws {ConfigError} the environment names no usable proxy. The error does not repeat it, because it may contain a password. */
export function proxiedAgent(options: Agent.Options, refuse?: Refuse): ProxiedAgent {
  try {
    return new ProxiedAgent(options, refuse);
  } catch {
    throw new ConfigError({
      code: 'proxy-invalid',
      what: 'HTTP_PROXY or HTTPS_PROXY is not the URL of a proxy.',
      why: 'It has no scheme, or characters that a URL cannot have.',
      fix: 'Write http://HOST:PORT or http://USER:PASSWORD@HOST:PORT. In the password, write %25 for %, %23 for #, %2F for / and %40 for @.',
    });
  }
}

let agent: ProxiedAgent | undefined;

/** `fetch` through the proxies. Without one, Node's own is the same and need not be loaded. */
export function proxiedFetch(url: URL, options: RequestInit) {
  agent ??= proxiedAgent({ allowH2: false });
  return fetch(url, { ...options, dispatcher: agent });
}
