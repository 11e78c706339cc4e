import { lookup } from 'node:dns';
import { lookup as lookupAll } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Agent, buildConnector } from 'undici';
import type { MediaConfig } from '../config/schema.ts';
import { type ProxiedAgent, proxiedAgent } from '../lib/http/agent.ts';
import { type HostRules, hostAndPort } from './hosts.ts';

/** Raised at connect, before a byte is sent. */
class ForbiddenAddressError extends Error {
  readonly code = 'FORBIDDEN_ADDRESS';
}

/** Networks in CIDR form that are allowed although they are not public. */
type Networks = readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];

export const parseNetworks = (networks: readonly string[]): Networks =>
  networks.map((network) => ipaddr.parseCIDR(network));

/** All global unicast addresses that are assigned. Source: IANA, IPv6 address space. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Internal services of cloud machines with addresses in public ranges. Source: Azure, WireServer. */
const METADATA = new Set(['168.63.129.16']);

function isOrdinary(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast' || METADATA.has(address.toString())) return false;
  // ipaddr.js also calls addresses outside of all special ranges "unicast", such as `::127.0.0.1` in hex.
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_IPV6);
}

/**
 * Whether an IP address is ordinary and public. Addresses of special ranges in ipaddr.js (private,
 * loopback, link-local with the metadata services, carrier-grade, multicast, …) are not public, and
 * neither are IPv6 forms that contain an IPv4 address.
 */
export function isPublicAddress(address: string, except: Networks = []): boolean {
  if (!ipaddr.isValid(address)) return false;
  // IPv4-compatible IPv6 with dots, which ipaddr.js parses as IPv4.
  if (/^::\d+\./.test(address)) return false;
  // `process` turns IPv4-mapped IPv6 (::ffff:127.0.0.1) into the IPv4 address in it.
  const parsed = ipaddr.process(address);
  const isException = except.some(
    ([network, bits]) => network.kind() === parsed.kind() && parsed.match([network, bits] as never),
  );
  return isException || isOrdinary(parsed);
}

/** Whether a host has only addresses that are not public. False for unknown names, which may get an address later. */
export async function isRefusedHost(hostname: string): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return !isPublicAddress(host);
  const addresses = await lookupAll(host, { all: true }).catch(() => []);
  return addresses.length > 0 && !addresses.some(({ address }) => isPublicAddress(address));
}

/**
 * An undici agent that connects only to public addresses. For a host name, the address that it resolves
 * to is checked while connecting, so that the name cannot resolve differently between check and use.
 * IP literals, which are never looked up, are checked before. A proxy looks up names itself, so it must refuse others.
 */
export function guardedAgent(
  rules: HostRules,
  { privateNetworks, timeout, stallTimeout, downloads }: MediaConfig,
): ProxiedAgent {
  const networks = parseNetworks(privateNetworks);
  const mayConnect = (address: string, hostPort: string): boolean => {
    if (isPublicAddress(address, networks)) return true;
    // The service may run on this machine (demo, tests), but only at its port.
    return hostPort === rules.loopback && ipaddr.process(address).range() === 'loopback';
  };
  const forbidden = (host: string) =>
    new ForbiddenAddressError(
      `${host} is not a public address (media.privateNetworks does not include it)`,
    );
  const guardedLookup =
    (hostPort: string): LookupFunction =>
    (hostname, options, callback) => {
      lookup(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, '', 0);
        const allowed = addresses.filter(({ address }) => mayConnect(address, hostPort));
        const [first] = allowed;
        if (!first) return callback(forbidden(hostname), '', 0);
        if (options.all) return callback(null, allowed);
        return callback(null, first.address, first.family);
      });
    };
  // One connector per host and port, because the permission depends on the port.
  const connectors = new Map<string, buildConnector.connector>();
  const options: Agent.Options = {
    // Every server supports HTTP/1.1, the tests of limits, stalls and truncated responses use it, and the
    // number of connections limits the requests to a host.
    allowH2: false,
    connections: downloads,
    headersTimeout: stallTimeout,
    bodyTimeout: stallTimeout,
    connect(options, callback) {
      const url = new URL(`${options.protocol}//${options.host ?? options.hostname}`);
      const hostPort = hostAndPort(url);
      let connector = connectors.get(hostPort);
      if (!connector) {
        connector = buildConnector({
          allowH2: false,
          timeout: Math.min(10_000, timeout),
          lookup: guardedLookup(hostPort),
        });
        connectors.set(hostPort, connector);
      }
      return connector(options, callback);
    },
  };
  // Also before a request to a proxy.
  return proxiedAgent(options, (origin) => {
    const host = origin.hostname.replace(/^\[|\]$/g, '');
    const isForbidden = isIP(host) !== 0 && !mayConnect(host, hostAndPort(origin));
    return isForbidden ? forbidden(host) : undefined;
  });
}
