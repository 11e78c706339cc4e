import { isLoopback } from '../config/forms.ts';

export interface HostRules {
  /** `host:port` pairs that pictures may come from. */
  readonly allowed: ReadonlySet<string>;
  /** Any public host is allowed (`*`), at the port of its scheme: other ports belong to other services. */
  readonly any: boolean;
  /** The service's own `host:port` if it is this machine: the only allowed loopback address. */
  readonly loopback: string | undefined;
}

const DEFAULT_PORT: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** `host:port` of an address, with the scheme's port if it names none. */
export function hostAndPort(url: URL): string {
  return `${url.hostname.replace(/\.$/, '')}:${url.port || DEFAULT_PORT[url.protocol]}`;
}

/** Allow-list from the configuration: the service's own host, and `media.hosts`. */
export function hostRules(baseUrl: string, hosts: readonly string[]): HostRules {
  const service = new URL(baseUrl);
  const serviceHost = hostAndPort(service);
  const named = hosts
    .filter((entry) => entry !== '*')
    .flatMap((entry) =>
      /:\d+$/.test(entry) ? [entry] : Object.values(DEFAULT_PORT).map((port) => `${entry}:${port}`),
    );
  return {
    allowed: new Set([serviceHost, ...named]),
    any: hosts.includes('*'),
    loopback: isLoopback(service) ? serviceHost : undefined,
  };
}

/** Whether an address may be requested. The IP address that it resolves to is checked at connect. */
export function isAllowedHost(url: URL, rules: HostRules): boolean {
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return false;
  return (rules.any && url.port === '') || rules.allowed.has(hostAndPort(url));
}
