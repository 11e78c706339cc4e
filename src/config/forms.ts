import { z } from 'zod';

const LOOPBACK = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL's host is this machine itself (`localhost`, `127.0.0.0/8`, `[::1]`). */
export function isLoopback(url: URL): boolean {
  return LOOPBACK.test(url.hostname);
}

const isPlainHttp = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password;
};

export const httpUrl = () =>
  z
    .string()
    .refine(isPlainHttp, 'must be an absolute http(s) address without user name or password');

/** An address to which paths are appended: without query and fragment; a slash at the end is removed. */
export const baseAddress = () =>
  httpUrl()
    .refine((text) => !/[?#]/.test(text), 'must have no query and no fragment')
    .transform((text) => text.replace(/\/+$/, ''));

export const envName = () =>
  z
    .string()
    .regex(
      /^[A-Za-z_][A-Za-z0-9_]*$/,
      'must be the name of an environment variable, not the key itself',
    );

export const localeTag = () =>
  z.string().refine((tag) => {
    try {
      return Intl.getCanonicalLocales(tag).length === 1;
    } catch {
      return false;
    }
  }, 'must be a language tag such as "en-GB"');

export const timeZone = () =>
  z.string().refine((zone) => {
    try {
      new Intl.DateTimeFormat('en', { timeZone: zone });
      return true;
    } catch {
      return false;
    }
  }, 'must be a time zone such as "Europe/London"');

export const wholeNumber = (min: number, max: number) => z.int().min(min).max(max);

/**
 * Names at the top of every site, which no dealer's slug may be. `addedAddresses` has those
 * that settings add. Hosts serve `index.html` and `netlify-forms.html` without their ending, too.
 */
export const RESERVED_DEALER_SLUGS = [
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
    .regex(
      /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
      'must be lower-case letters and digits, joined by single hyphens',
    )
    .refine((text) => !RESERVED_DEALER_SLUGS.includes(text), 'is a name that the site itself uses');

/** A host allow-list entry: `host`, `host:port`, or `*`. Without a port: the scheme's own port. */
export const hostEntry = () =>
  z
    .string()
    .toLowerCase()
    .regex(
      /^(\*|(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?::\d{1,5})?|\[[0-9a-f:.]+\](?::\d{1,5})?)$/,
      'must be a host name such as "pictures.example", optionally with ":port", or "*"',
    );
