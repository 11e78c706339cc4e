import { z } from 'zod';
import { isLoopback } from './forms.ts';

/** Directives of the Content-Security-Policy that can be opened, with what they let a page do. */
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

export const POLICY_DIRECTIVES = Object.keys(DIRECTIVES) as Directive[];

/** Sources besides the site's own, by directive. */
export type Sources = Readonly<Partial<Record<Directive, readonly string[]>>>;

/**
 * Sources that are no host: what a consent banner cannot do without. Styles within elements change how a
 * page looks; scripts within pages stay out, as they are what an injected text would bring.
 */
const KEYWORDS: Partial<Record<Directive, string>> = {
  'style-src': "'unsafe-inline'",
  'img-src': 'data:',
  'font-src': 'data:',
};

/** An origin, with a wildcard for names below one of at least two parts. */
const ORIGIN =
  /^[a-z]+:\/\/(?:\*\.(?=[^.]+\.[^.]))?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*(?::\d{1,5})?$/;

/** Why a source is refused; undefined for one that is taken. */
function problemOf(directive: Directive, source: string): string | undefined {
  if (source === KEYWORDS[directive]) return undefined;
  if (/^'unsafe|^'wasm-unsafe/.test(source)) {
    return directive === 'style-src'
      ? `must not be ${source}`
      : `must not be ${source}: whatever gets into a page could then run there; put scripts into files (docs/theming.md#scripts-of-others)`;
  }
  if (source.startsWith("'")) return "must be a host; 'self' is there already";
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

/** What pages may load and send besides what they need themselves. */
export const policySchema = z.strictObject({
  'script-src': sourcesOf('script-src'),
  'style-src': sourcesOf('style-src'),
  'img-src': sourcesOf('img-src'),
  'font-src': sourcesOf('font-src'),
  'media-src': sourcesOf('media-src'),
  'connect-src': sourcesOf('connect-src'),
  'frame-src': sourcesOf('frame-src'),
  'form-action': sourcesOf('form-action'),
} satisfies Record<Directive, z.ZodType>);
