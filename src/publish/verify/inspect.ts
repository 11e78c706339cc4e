import { readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Parser } from 'htmlparser2';
import { isAmong, type Sources } from '../../config/opened-sources.ts';
import { type KeyPlace, keyIn, type SecretSearch } from '../../config/secret-search.ts';
import { fileHash, type PublishedFile } from '../../record/files.ts';
import type { PageView, VehicleView } from '../../site/views/view.ts';
import type { DealerStock } from '../../stock/load.ts';
import { type Outside, PageReader } from './page-look.ts';
import { readPlainPage } from './plain-page.ts';

/** Field names that hold personal data in batches (interface 2.3): the site must contain none of them. */
export const PERSONAL_FIELDS = /RecipientEmail|RecipientMobile|MarketingContactId|SendingUserName/;

/** The same as keys of JSON, which no escaped text can look like. */
const PERSONAL_KEYS = /"(?:RecipientEmail|RecipientMobile|MarketingContactId|SendingUserName)"\s*:/;

/** Options for inspecting files. */
export interface InspectContext {
  folder: string;
  /** `site.url`. */
  siteUrl: string;
  search: SecretSearch;
  /** What pages may load and send besides what is of their own site. */
  opened: Sources;
  /** Whether names of personal fields are searched for anywhere, or only as keys; see `mentionsBatchFields`. */
  personalWords: 'anywhere' | 'as-keys';
}

/** Result of inspecting one file, independent of the other files. */
export interface Inspected extends Pick<PublishedFile, 'hash' | 'size'> {
  file: string;
  /** Place of a key in the file. */
  key: KeyPlace | undefined;
  /** Name of a personal field. */
  personal: string | undefined;
  /** For pages only. */
  page?: {
    isEmpty: boolean;
    /** Markup that templates never write. */
    unsafe: readonly string[];
    /** What comes from or goes to hosts that the configuration does not open. */
    notOpened: readonly Outside[];
    /** Links into the site, each with the file that it resolves to. */
    links: readonly (readonly [link: string, target: string])[];
  };
}

function decompress(name: string, bytes: Buffer): Buffer {
  if (name.endsWith('.gz')) return gunzipSync(bytes);
  if (name.endsWith('.br')) return brotliDecompressSync(bytes);
  return bytes;
}

/** Returns a function that inspects the bytes of one file. */
export function openInspector(context: InspectContext): (file: string) => Inspected {
  const { folder, siteUrl, search, opened, personalWords } = context;
  const { origin, pathname } = new URL(siteUrl);
  const base = pathname.replace(/\/+$/, '');
  const words = personalWords === 'anywhere' ? PERSONAL_FIELDS : PERSONAL_KEYS;

  const mayHave = ({ directive, address }: Outside, page: string): boolean => {
    const url = URL.parse(address, page);
    return url === null || url.origin === origin || isAmong(opened[directive], url);
  };

  return (file) => {
    const target = path.join(folder, file);
    // Synchronous: one at a time, a promise costs five times the reading (measured at 4,000 files).
    const bytes = readFileSync(target);
    const plain = decompress(file, bytes);
    const text = plain.toString('utf8');
    const inspected: Inspected = {
      file,
      hash: fileHash(bytes),
      size: bytes.length,
      key: keyIn(search, file, plain),
      personal: words.exec(text)?.[0],
    };
    if (!file.endsWith('.html')) return inspected;
    const { links, unsafe, outside, hasHeading, hasText } = readPage(text);
    const targets = new Map<string, string>();
    for (const link of links) {
      const leadsTo = targetOf(link, file, origin, base);
      if (leadsTo !== undefined) targets.set(link, leadsTo);
    }
    return {
      ...inspected,
      page: {
        isEmpty: !hasHeading || !hasText,
        unsafe,
        notOpened: outside.filter((one) => !mayHave(one, `${origin}${base}/${file}`)),
        links: [...targets],
      },
    };
  };
}

type Page = Pick<PageReader, 'links' | 'hasHeading' | 'hasText' | 'unsafe' | 'outside'>;

/** Reads the facts of a page that the checks before publishing need. */
export const readPage = (html: string): Page => readPlainPage(html) ?? parsePage(html);

/** The same for any markup, parsed as a browser parses it. */
export function parsePage(html: string): Page {
  const page = new PageReader();
  let inMain = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'main' || inMain > 0) inMain++;
      page.element(name, Object.entries(attributes).flat());
    },
    ontext(text) {
      if (inMain > 0 && text.trim() !== '') page.hasText = true;
    },
    onclosetag() {
      if (inMain > 0) inMain--;
    },
  });
  parser.write(html);
  parser.end();
  return page;
}

/** Addresses that need no resolving: from the root, without dot segments, nothing encoded. */
const PLAIN_LINK = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+\/?$/;

const PLAIN_FILE = /^[\w./~-]+$/;
/** Scheme and host of an absolute address, in the form that needs no URL parser. */
const AUTHORITY = /^https?:\/\/[^/?#\\@\p{Cc}\s]+(?=[/?#]|$)/u;
/** Cache of origins by scheme and host: pages link to few other sites, many times. */
const origins = new Map<string, string | undefined>();

function originOf(authority: string): string | undefined {
  if (!origins.has(authority)) {
    if (origins.size >= 1000) origins.clear();
    origins.set(authority, URL.parse(authority)?.origin);
  }
  return origins.get(authority);
}

/** The file that an internal address resolves to. Undefined for addresses of other sites. */
export function targetOf(
  link: string,
  from: string,
  origin: string,
  base: string,
): string | undefined {
  // Nearly all links are of this form, and parsing an address takes ten times as long.
  if (PLAIN_LINK.test(link)) {
    if (!link.startsWith(`${base}/`)) return undefined;
    const plain = link.slice(base.length + 1);
    return plain === '' || plain.endsWith('/') ? `${plain}index.html` : plain;
  }
  if (link.startsWith('#') && PLAIN_FILE.test(from)) return from;
  const [authority] = AUTHORITY.exec(link) ?? [];
  if (authority !== undefined && originOf(authority) !== origin) return undefined;
  const page = new URL(`${origin}${base}/${from}`);
  const url = URL.parse(link, page.href);
  if (url === null || url.origin !== page.origin) return undefined;
  if (!url.pathname.startsWith(`${base}/`)) return undefined;
  const encoded = url.pathname.slice(base.length + 1);
  let file: string;
  try {
    file = decodeURIComponent(encoded);
  } catch {
    // `%` without digits: no file has such a name, so it is reported as a broken link.
    file = encoded;
  }
  return file === '' || file.endsWith('/') ? `${file}index.html` : file;
}

/**
 * Addresses in a page that come from the service. Whether they resolve is up to the service: one
 * that names a missing page of our own site must not stop the publish.
 */
export function* externalLinks(view: PageView | VehicleView): Iterable<string> {
  if (!('media' in view)) return;
  for (const { full } of view.pictures) if (/^https?:/.test(full)) yield full;
  for (const { player } of view.videos) yield player;
}

/**
 * Whether a text of the service names a field of batches. Such a label is unusual but no leak,
 * and must not stop the publish. Then only keys of JSON are searched for.
 */
export function mentionsBatchFields(stock: readonly DealerStock[]): boolean {
  const hasField = (text: string) => PERSONAL_FIELDS.test(text);
  return stock.some(({ vehicles, withdrawn }) => {
    if ([...vehicles, ...withdrawn].some(({ vrm }) => hasField(vrm))) return true;
    return vehicles.some(({ media }) => media.some(({ label }) => hasField(label)));
  });
}
