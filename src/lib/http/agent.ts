import { Agent, type Dispatcher, EnvHttpProxyAgent, fetch, type RequestInit } from 'undici';
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

let agent: ProxiedAgent | undefined;

/** `fetch` through the proxies. Without one, Node's own is the same and need not be loaded. */
export function proxiedFetch(url: URL, options: RequestInit) {
  agent ??= new ProxiedAgent({ allowH2: false });
  return fetch(url, { ...options, dispatcher: agent });
}
