import type { EnquirySetting } from './enquiry-schema.ts';
import { POLICY_DIRECTIVES, type Sources } from './policy-schema.ts';
import type { Config } from './schema.ts';

/** What the form on a page needs: to be posted, with or without a script, and to come back. */
export function enquirySources(setting: EnquirySetting | undefined): Sources {
  if (setting === undefined) return {};
  const { address } = setting;
  const origin = address === undefined ? [] : [new URL(address).origin];
  return { 'connect-src': origin, 'form-action': ["'self'", ...origin] };
}

/** All of several, each source once. */
export function joinSources(...all: readonly Sources[]): Sources {
  const joined: [string, string[]][] = [];
  for (const directive of POLICY_DIRECTIVES) {
    const sources = new Set(all.flatMap((one) => one[directive] ?? []));
    if (sources.size > 0) joined.push([directive, [...sources]]);
  }
  return Object.fromEntries(joined);
}

/** What the configuration opens on any page: by `site.policy`, and for forms. */
export function openedSources({
  site,
  dealers,
}: {
  site: Pick<Config['site'], 'policy' | 'enquiry'>;
  dealers: readonly { enquiry?: EnquirySetting | undefined }[];
}): Sources {
  const forms = dealers.map(({ enquiry }) => enquirySources(enquiry ?? site.enquiry));
  return joinSources(site.policy, ...forms);
}

/** Whether sources contain the origin of an address. */
export function isAmong(sources: readonly string[] | undefined, url: URL): boolean {
  return (sources ?? []).some((source) => {
    const [scheme, host = ''] = source.split('://');
    if (`${scheme}:` !== url.protocol) return false;
    return host.startsWith('*.')
      ? url.host.endsWith(host.slice(1)) && url.host.length > host.length - 1
      : url.host === host || `${url.hostname}:443` === host;
  });
}
