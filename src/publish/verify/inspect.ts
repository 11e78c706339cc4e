import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { isAmong, type Sources } from '../../config/opened-sources.ts';
import { keyIn, type SecretSearch } from '../../config/secret-search.ts';
import { newParser } from '../../lib/html.ts';
import { fileHash } from '../../record/files.ts';
import type { PageView, VehicleView } from '../../site/views/view.ts';
import type { DealerStock } from '../../stock/dealer-stock.ts';
import { type Outside, PageReader } from './page-look.ts';
import { readPlainPage, utf8 } from './plain-page.ts';

/** Names of fields with personal data in batches (interface 2.3). The site must not contain them. */
const PERSONAL_FIELDS = /RecipientEmail|RecipientMobile|MarketingContactId|SendingUserName/;

/** The same names as keys of JSON. Escaped text never looks like this. */
const PERSONAL_KEYS = /"(?:RecipientEmail|RecipientMobile|MarketingContactId|SendingUserName)"\s*:/;

export interface InspectContext {
  read: (file: string) => Buffer;
  siteUrl: string;
  search: SecretSearch;
  /** External sources that pages may use. */
  opened: Sources;
  /** See {@link mentionsBatchFields}. */
  mentionsFields: boolean;
}

/** Something that must not be published. Codes are stable. */
export interface VerifyFinding {
  code: 'page-empty' | 'link-broken' | 'personal-data' | 'unsafe-markup' | 'not-opened';
  /** File below the site's folder. */
  file: string;
  detail: string;
}

function decompress(name: string, bytes: Buffer): Buffer {
  try {
    if (name.endsWith('.gz')) return gunzipSync(bytes);
    if (name.endsWith('.br')) return brotliDecompressSync(bytes);
  } catch {
    // A user's file may have such a name without being compressed.
  }
  return bytes;
}

/** Returns a function that inspects the bytes of one file. */
export function openInspector(context: InspectContext) {
  const { read, siteUrl, search, opened, mentionsFields } = context;
  const { origin, pathname } = new URL(siteUrl);
  const base = pathname.replace(/\/+$/, '');
  const personalPattern = mentionsFields ? PERSONAL_KEYS : PERSONAL_FIELDS;

  const isOpened = ({ directive, address, allowed }: Outside, page: string): boolean => {
    const url = URL.parse(address, page);
    const sources = allowed ?? opened[directive] ?? [];
    if (url === null || url.origin === origin) return true;
    return sources.includes(url.protocol) || isAmong(sources, url);
  };

  return (file: string) => {
    const bytes = read(file);
    const plain = decompress(file, bytes);
    // Markup, URLs and names of fields are ASCII, and decoding UTF-8 takes an eighth of the time of this function.
    const text = plain.toString('latin1');
    /** Apart from broken links. */
    const findings: VerifyFinding[] = [];
    /** Internal links of a page, with the files that they resolve to. */
    const links: [link: string, target: string][] = [];
    const add = (code: VerifyFinding['code'], detail = '') => findings.push({ code, file, detail });
    let found: Iterable<string> = [];
    const personal = personalPattern.exec(text)?.[0];
    if (personal !== undefined) add('personal-data', personal);
    if (file.endsWith('.html')) {
      const page = readPage(text);
      if (!page.hasHeading || !page.hasText) add('page-empty');
      for (const icon of page.drawn) if (!page.ids.has(icon)) add('link-broken', icon);
      for (const markup of page.unsafe) add('unsafe-markup', markup);
      for (const outside of page.outside) {
        if (isOpened(outside, `${origin}${base}/${file}`)) continue;
        const { element, directive, address } = outside;
        const policy = `${directive} of site.policy`;
        add('not-opened', `<${element}> with the address ${address}, which ${policy}`);
      }
      found = page.links;
    } else if (file.endsWith('.css')) {
      // The compiler already checked relative URLs.
      found = Array.from(text.matchAll(/\burl\(["']?(\/[^"')]+)/g), ([, link = '']) => link);
    }
    for (const link of found) {
      const target = targetOf(link, file, origin, base);
      if (target !== undefined) links.push([link, target]);
    }
    /** Place of a key in the file. */
    const key = keyIn(search, file, plain);
    return { hash: fileHash(bytes), size: bytes.length, key, findings, links };
  };
}

/** Reads the facts of a page that the checks need. @param latin1 see {@link readPlainPage}. */
export const readPage = (latin1: string): PageReader =>
  readPlainPage(latin1) ?? parsePage(utf8(latin1));

/** The same for any markup, parsed as in a browser. */
export function parsePage(html: string): PageReader {
  const page = new PageReader();
  let inMain = 0;
  const parser = newParser({
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

/** Paths that need no resolving: from the root, without dot segments or encoded characters. */
const PLAIN_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*\/?$/;

/** Origins that are written as in `URL.origin`. Ports may be default ones, and addresses have other spellings. */
const PLAIN_ORIGIN = /^https?:\/\/(?:[a-z\d-]+\.)*[a-z][a-z\d-]*(?=\/)/;

const QUERY_OR_FRAGMENT = /[?#].*/s;

/** The file that an internal URL resolves to. Undefined for URLs of other sites. */
export function targetOf(
  link: string,
  from: string,
  origin: string,
  base: string,
): string | undefined {
  // Nearly all links take one of these short ways, and parsing a URL takes ten times as long.
  if (link.startsWith('#')) return from;
  const plainOrigin = PLAIN_ORIGIN.exec(link)?.[0];
  if (plainOrigin !== undefined && plainOrigin !== origin) return undefined;
  const plainPath = (plainOrigin === undefined ? link : link.slice(origin.length)).replace(
    QUERY_OR_FRAGMENT,
    '',
  );
  if (plainPath.startsWith('/') && PLAIN_PATH.test(plainPath)) {
    if (!plainPath.startsWith(`${base}/`)) return undefined;
    const plain = plainPath.slice(base.length + 1);
    return plain === '' || plain.endsWith('/') ? `${plain}index.html` : plain;
  }
  const url = URL.parse(link, `${origin}${base}/${from}`);
  if (url === null || url.origin !== origin) return undefined;
  if (!url.pathname.startsWith(`${base}/`)) return undefined;
  const encoded = url.pathname.slice(base.length + 1);
  let file: string;
  try {
    file = decodeURIComponent(encoded);
  } catch {
    // `%` without digits. No file has such a name, so the link is reported as broken.
    file = encoded;
  }
  return file === '' || file.endsWith('/') ? `${file}index.html` : file;
}

/**
 * URLs in a page that come from the service or a stock list. Even if they point to a missing page of this site, they
 * must not stop the build.
 */
export function* externalLinks(view: PageView | VehicleView): Iterable<string> {
  if (!('media' in view)) return;
  if (view.link !== undefined) yield view.link;
  for (const { full } of view.pictures) if (/^https?:/.test(full)) yield full;
  for (const { player } of view.videos) yield player;
}

/**
 * Whether a text of the service or of a stock list contains the name of a field of batches. That is unusual but not a
 * leak, and must not stop the build. Then only keys of JSON are searched for.
 */
export const mentionsBatchFields = (stock: readonly DealerStock[]): boolean =>
  stock.some(({ vehicles, withdrawn, list }) =>
    [...vehicles, ...withdrawn, ...(list?.facts?.byPlate.values() ?? [])].some((entry) =>
      PERSONAL_FIELDS.test(JSON.stringify(entry)),
    ),
  );
