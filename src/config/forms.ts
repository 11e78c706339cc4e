import { z } from 'zod';
import { isSafeFile } from '../lib/files/safe-file.ts';
import { isLoopback } from '../lib/http/loopback.ts';

/** A non-empty text. Blanks around it are removed. */
export const text = () => z.string().trim().min(1);

/** A text that matches an expression. @param rule the message for other texts: `must be …`. */
export const pattern = (form: RegExp, rule: string) => z.string().regex(form, rule);

/** Whether a check succeeds. It throws if it fails. */
export const accepts = (check: () => unknown): boolean => {
  try {
    check();
    return true;
  } catch {
    return false;
  }
};

/** Whether a URL is https, or plain http on this machine. Also true for other texts, which are refused elsewhere. */
export const isSafeAddress = (text: string): boolean => {
  const url = URL.parse(text);
  return url === null || url.protocol === 'https:' || isLoopback(url);
};

const isPlainHttp = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password;
};

export const httpUrl = () =>
  z
    .string()
    .trim()
    .refine(isPlainHttp, 'must be an absolute http(s) address without user name or password');

/** A URL to which paths are appended, without query and fragment. Slashes at its end are removed. */
export const baseAddress = () =>
  httpUrl()
    .refine((text) => !/[?#]/.test(text), 'must have no query and no fragment')
    .transform((text) => text.replace(/\/+$/, ''))
    .refine(
      (text) => !/[^:]\/\/|\.html?$/i.test(text),
      'must be the address of a folder: no page, and no "//" in its path',
    );

export const envName = () =>
  pattern(
    /^[A-Za-z_][A-Za-z0-9_]*$/,
    'must be the name of an environment variable, not the key itself',
  );

/** A language tag in its usual form: `en-UK` becomes `en-GB`. */
export const localeTag = () =>
  z
    .string()
    .refine(
      // Five to eight letters are allowed, but no language has them: "deutsch".
      (tag) => accepts(() => new Intl.Locale(tag)) && /^[a-z]{2,3}(?:-|$)/i.test(tag),
      { error: 'must be a language tag such as "en-GB"', abort: true },
    )
    .overwrite((tag) => new Intl.Locale(tag).toString());

export const timeZone = () =>
  z
    .string()
    .refine(
      (zone) => accepts(() => new Intl.DateTimeFormat('en', { timeZone: zone })),
      'must be a time zone such as "Europe/London"',
    );

/** The source of a regular expression. It is checked without anchors: `/a)|(b` would be valid between them. */
export const expression = () =>
  z
    .string()
    .refine((source) => accepts(() => new RegExp(source)), 'must be a valid regular expression');

export const wholeNumber = (min: number, max: number) => z.int().min(min).max(max);

/**
 * Top-level names of every site, which cannot be the slug of a dealer. `addedAddresses` has the names that
 * settings add. Hosts serve `index.html` and `netlify-forms.html` also without their ending.
 */
const RESERVED_DEALER_SLUGS = [
  'assets',
  'embed',
  'media',
  'page',
  'api',
  '404',
  'search',
  'schema',
  'make',
  'index',
  'netlify-forms',
];

export const slug = () =>
  z
    .string()
    .max(60)
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, {
      error: 'must be lower-case letters and digits, joined by single hyphens',
      abort: true,
    })
    .refine((text) => !RESERVED_DEALER_SLUGS.includes(text), 'is a name that the site itself uses')
    .refine(isSafeFile, 'is a name that Windows reserves');

/** A host allow-list entry: `host`, `host:port`, or `*`. Without a port, the default port of the scheme. */
export const hostEntry = () =>
  z
    .string()
    .toLowerCase()
    .regex(
      /^(\*|(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?::\d{1,5})?|\[[0-9a-f:.]+\](?::\d{1,5})?)$/,
      'must be a host name such as "pictures.example", optionally with ":port", or "*"',
    );

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const FORM = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/;

/** Milliseconds of a duration such as `26h`. Undefined if the text is not a duration. */
export function millisecondsOf(text: string): number | undefined {
  const [, amount, unit] = FORM.exec(text) ?? [];
  return unit === undefined
    ? undefined
    : Math.round(Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS]);
}

/** A duration such as `"72h"`, `"14d"` or `"30s"`, converted to milliseconds. */
export const duration = (byDefault: `${number}${keyof typeof UNIT_MS}`) =>
  z
    .string()
    .regex(FORM, 'must be a number with a unit: ms, s, m, h or d, such as "72h"')
    .default(byDefault)
    .transform((text): number => millisecondsOf(text) ?? 0);

export const colour = () => pattern(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as "#0b57d0"');

export const logo = () =>
  z
    .string()
    .trim()
    .regex(/\.(?:svg|png|webp|jpe?g)$/i, 'must be a file that ends in .svg, .png, .webp or .jpg');
