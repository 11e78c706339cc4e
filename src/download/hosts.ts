import { isLoopback } from '../lib/http/loopback.ts';

export type HostRules = Readonly<ReturnType<typeof hostRules>>;

const DEFAULT_PORT: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** `host:port` of a URL, with the scheme's port if the URL has none. */
export const hostAndPort = (url: URL): string =>
  `${url.hostname.replace(/\.$/, '')}:${url.port || DEFAULT_PORT[url.protocol]}`;

/** Allow-list from the configuration: the service's host, and `media.hosts`. */
export function hostRules(baseUrl: string, hosts: readonly string[]) {
  const service = new URL(baseUrl);
  const serviceHost = hostAndPort(service);
  const configuredHosts = hosts
    .filter((entry) => entry !== '*')
    .flatMap((entry) =>
      /:\d+$/.test(entry) ? [entry] : Object.values(DEFAULT_PORT).map((port) => `${entry}:${port}`),
    );
  return {
    /** `host:port` pairs that pictures may come from. */
    allowed: new Set([serviceHost, ...configuredHosts]),
    /** Any public host is allowed (`*`), at the port of its scheme: other ports belong to other services. */
    any: hosts.includes('*'),
    /** `host:port` of the service if it is on this machine: the only allowed loopback address. */
    loopback: isLoopback(service) ? serviceHost : undefined,
  };
}

/** Whether a URL may be requested. Its IP address is checked when connecting. */
export function isAllowedHost(url: URL, rules: HostRules): boolean {
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return false;
  return (rules.any && url.port === '') || rules.allowed.has(hostAndPort(url));
}
