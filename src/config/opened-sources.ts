import { z } from 'zod';
import { isLoopback } from '../lib/http/loopback.ts';
import { httpUrl, isSafeAddress, pattern } from './forms.ts';

/** Directives of the Content-Security-Policy that settings can extend, with the permission of each. */
const DIRECTIVES = {
  'script-src': 'Hosts that scripts may come from',
  'style-src': 'Hosts that style sheets may come from',
  'img-src': 'Hosts that pictures may come from',
  'font-src': 'Hosts that fonts may come from',
  'media-src': 'Hosts that sound and video files may come from',
  'connect-src': 'Hosts that scripts may send to and fetch from',
  'frame-src': 'Hosts that frames may show',
  'form-action': 'Hosts that forms may send to',
} as const;

export type Directive = keyof typeof DIRECTIVES;

const POLICY_DIRECTIVES = Object.keys(DIRECTIVES) as Directive[];

/** Additional sources, by directive. */
export type Sources = Readonly<Partial<Record<Directive, readonly string[]>>>;

/**
 * Sources other than hosts, which consent banners need. Inline styles only change how a page looks. Inline
 * scripts are never allowed, because injected text could contain them.
 */
const KEYWORDS: Partial<Record<Directive, string>> = {
  'style-src': "'unsafe-inline'",
  'img-src': 'data:',
  'font-src': 'data:',
};

/** An origin. A wildcard needs a domain of at least two parts. */
const ORIGIN =
  /^[a-z]+:\/\/(?:\*\.(?=[^.]+\.[^.]))?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*(?::\d{1,5})?$/;

/** Why a source is refused. Undefined if it is accepted. */
function problemOf(directive: Directive, source: string): string | undefined {
  if (source === KEYWORDS[directive]) return undefined;
  if (/^'unsafe|^'wasm-unsafe/.test(source)) {
    return directive === 'style-src'
      ? `must not be ${source}`
      : `must not be ${source}: injected code could then run. Put scripts into files (docs/theming.md#external-scripts)`;
  }
  if (source.startsWith("'")) return "must be a host ('self' is always included)";
  if (/^(?:\*|[a-z]+:(?:\/\/(?:\*(?:\.[^.]*)?(?::\d+)?)?)?)$/.test(source)) {
    return 'would open pages to everybody: name each host, such as "https://stats.example"';
  }
  if (!ORIGIN.test(source)) {
    return 'must be an origin without path, such as "https://stats.example" or "https://*.stats.example"';
  }
  const url = URL.parse(source.replace('*.', ''));
  if (url?.protocol === 'https:' || (url && isLoopback(url))) return undefined;
  if (url?.protocol === 'wss:' && directive === 'connect-src') return undefined;
  return 'must begin with https:// (plain http only for this machine itself)';
}

const sourcesOf = (directive: Directive) =>
  z
    .array(
      z.string().superRefine((source, context) => {
        const message = problemOf(directive, source);
        if (message !== undefined) context.addIssue({ code: 'custom', message });
      }),
    )
    .max(40)
    .optional()
    .describe(
      `${DIRECTIVES[directive]}, such as "https://stats.example"${KEYWORDS[directive] ? `; \`${KEYWORDS[directive]}\` is possible` : ''}.`,
    );

/** Additional hosts that pages may load from and send to. */
export const policySchema = z.strictObject(
  Object.fromEntries(
    POLICY_DIRECTIVES.map((directive) => [directive, sourcesOf(directive)]),
  ) as Record<Directive, ReturnType<typeof sourcesOf>>,
);

/** The destination of enquiries: exactly one of its fields. */
export const enquirySchema = z
  .strictObject({
    netlify: pattern(
      /^[a-z][a-z0-9-]{0,63}$/,
      'must be lower-case letters, digits and hyphens, such as "enquiry"',
    )
      .optional()
      .describe('Name of the form at Netlify, for a site on Netlify.'),
    address: httpUrl()
      .refine((text) => !text.includes('#'), 'must have no fragment')
      .refine(isSafeAddress, 'must be https (plain http only for this machine itself)')
      .optional()
      .describe(
        'URL that accepts forms, of Formspree, Web3Forms or another service (docs/hosting.md#enquiries).',
      ),
  })
  .refine(
    ({ netlify, address }) => (netlify === undefined) !== (address === undefined),
    'must have exactly one of netlify, address',
  );

export type EnquirySetting = z.output<typeof enquirySchema>;

/** Sources that the form on a page needs: to send it with or without a script, and to return to the page. */
export function enquirySources(setting: EnquirySetting | undefined): Sources {
  if (setting === undefined) return {};
  const { address } = setting;
  const origin = address === undefined ? [] : [new URL(address).origin];
  return { 'connect-src': origin, 'form-action': ["'self'", ...origin] };
}

/** Combines sources. Each source occurs once. */
export function joinSources(...all: readonly Sources[]): Sources {
  const entries = POLICY_DIRECTIVES.map((directive) => {
    const sources = new Set(all.flatMap((one) => one[directive] ?? []));
    return [directive, [...sources]] as const;
  });
  return Object.fromEntries(entries.filter(([, sources]) => sources.length > 0));
}

/** Sources that the configuration adds to any page: from `site.policy`, and for forms. */
export function openedSources({
  site,
  dealers,
}: {
  site: { policy: Sources; enquiry?: EnquirySetting };
  dealers: readonly { enquiry?: EnquirySetting }[];
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
      ? url.host.endsWith(host.slice(1))
      : url.host === host || `${url.hostname}:443` === host;
  });
}
