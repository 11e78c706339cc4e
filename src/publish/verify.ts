import { readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { SecretSearch } from '../config/secret-search.ts';
import { GateError, printable } from '../errors.ts';
import { isOutputName } from '../media/recipes.ts';
import type { OutputNames } from '../media/store/output-names.ts';
import { stampOf } from '../media/store/stamp.ts';
import { sweepAll } from '../media/sweep.ts';
import { collisions, isSafeFile } from './files.ts';
import { readPage } from './read-page.ts';
import { refuseSecrets } from './secrets.ts';
import { type Listing, listSite, MEDIA } from './tree/listing.ts';
import { bytesHash, type PageRow, type ThumbnailMemory } from './tree/page-manifest.ts';

/** Files after which what reading them left in memory is collected. */
const SWEPT = 4000;

/** Something that must not be published. Codes are stable; the prose stands in `tell`. */
export interface VerifyFinding {
  code:
    | 'page-missing'
    | 'page-empty'
    | 'link-broken'
    | 'personal-data'
    | 'unsafe-file'
    | 'unsafe-markup';
  /** File below the site's folder. */
  file: string;
  detail: string;
}

/** Field names that hold personal data in batches (interface 2.3): the site must know none of them. */
export const PERSONAL_FIELDS = /RecipientEmail|RecipientMobile|MarketingContactId|SendingUserName/;

/** The same as keys of JSON, which no escaped text can look like. */
const PERSONAL_KEYS = /"(?:RecipientEmail|RecipientMobile|MarketingContactId|SendingUserName)"\s*:/;

function fileFindings({ files, odd }: Listing): VerifyFinding[] {
  const code = 'unsafe-file';
  return [
    ...odd.map((file) => ({ code, file, detail: 'is no ordinary file' }) as const),
    ...files
      .filter((file) => !isSafeFile(file))
      .map(
        (file) => ({ code, file, detail: 'has a name that not every server can serve' }) as const,
      ),
    ...[...collisions(files.map((file) => ({ file, what: file })))].map(
      ([first, { file }]) =>
        ({
          code,
          file,
          detail: `is the same as ${first.file} where letter case does not count`,
        }) as const,
    ),
  ];
}

/** Addresses that mean what they say: from the root, no dots to resolve, nothing encoded. */
const PLAIN_LINK = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+\/?$/;

/** The file that an internal address stands for; undefined for addresses of other sites. */
function targetOf(link: string, from: string, origin: string, base: string): string | undefined {
  // Nearly all links are of this form, and parsing an address takes ten times as long.
  if (PLAIN_LINK.test(link)) {
    if (!link.startsWith(`${base}/`)) return undefined;
    const plain = link.slice(base.length + 1);
    return plain === '' || plain.endsWith('/') ? `${plain}index.html` : plain;
  }
  const page = new URL(`${origin}${base}/${from}`);
  const url = URL.parse(link, page.href);
  if (url === null || url.origin !== page.origin) return undefined;
  if (!url.pathname.startsWith(`${base}/`)) return undefined;
  const encoded = url.pathname.slice(base.length + 1);
  let file: string;
  try {
    file = decodeURIComponent(encoded);
  } catch {
    // `%` without digits: no file of ours is called so, and it is told as a broken link.
    file = encoded;
  }
  return file === '' || file.endsWith('/') ? `${file}index.html` : file;
}

function decompress(name: string, bytes: Buffer): Buffer {
  if (name.endsWith('.gz')) return gunzipSync(bytes);
  if (name.endsWith('.br')) return brotliDecompressSync(bytes);
  return bytes;
}

export interface VerifyOptions {
  folder: string;
  /** `site.url`. */
  siteUrl: string;
  search: SecretSearch;
  /** Files that must be there, below the folder. */
  expected: Iterable<string>;
  /** Thumbnails that must be there. */
  outputs: OutputNames;
  /** Where it is certain that the folder holds exactly these thumbnails: what vouches for that. */
  outputsKnown?: ThumbnailMemory | undefined;
  /** Addresses that the service gave: they are its own matter even where they name our site. */
  foreign?: ReadonlySet<string>;
  /** Files that somebody else is going to put there. */
  elsewhere?: Iterable<string>;
  /** Files that were looked at before and still have the same bytes: only their links are checked. */
  known?: ReadonlyMap<string, Pick<PageRow, 'uses'>>;
  /** Called with every file that was read. */
  onFile?: (file: string, found: Omit<PageRow, 'key'>) => void;
  /** Names of personal fields are looked for anywhere, or only as keys; see `speaksOfBatches`. */
  personalWords?: 'anywhere' | 'as-keys';
}

/**
 * Looks at every file of a finished site before it may be published: links and pictures resolve,
 * no page is empty, no key is in any file or name in any form, no field of a batch is there.
 * Thumbnails are our own encoder's output without metadata, so of them only the names are read.
 *
 * @throws {SecretFoundError} a key was found; the file is named, the key is not.
 */
export function verifySite({
  folder,
  siteUrl,
  search,
  expected,
  outputs,
  outputsKnown,
  elsewhere = [],
  foreign = new Set(),
  known = new Map(),
  onFile,
  personalWords = 'anywhere',
}: VerifyOptions): VerifyFinding[] {
  const { origin, pathname } = new URL(siteUrl);
  const base = pathname.replace(/\/+$/, '');
  const listing = listSite(folder, outputsKnown);
  const { files } = listing;
  const thumbnails = listing.thumbnails ?? outputs;
  const pages = new Set([...files, ...elsewhere]);
  const exists = (file: string): boolean =>
    pages.has(file) || (file.startsWith(MEDIA) && thumbnails.has(file.slice(MEDIA.length)));
  const findings = fileFindings(listing);
  const personal = personalWords === 'anywhere' ? PERSONAL_FIELDS : PERSONAL_KEYS;
  for (const file of expected) {
    if (!exists(file)) findings.push({ code: 'page-missing', file, detail: '' });
  }
  for (const name of outputs.without(thumbnails)) {
    findings.push({ code: 'page-missing', file: MEDIA + name, detail: '' });
  }
  for (const name of listing.thumbnails ?? []) refuseSecrets(search, MEDIA + name, NOTHING);
  let read = 0;
  for (const file of files) {
    const before = known.get(file);
    if (before) {
      for (const target of before.uses) {
        if (!exists(target)) findings.push({ code: 'link-broken', file, detail: target });
      }
      continue;
    }
    const target = path.join(folder, file);
    const stamp = stampOf(target);
    // Synchronous: one at a time, a promise costs five times the reading (measured at 4,000 files).
    const bytes = readFileSync(target);
    const plain = decompress(file, bytes);
    refuseSecrets(search, file, plain);
    const text = plain.toString('utf8');
    const [word] = personal.exec(text) ?? [];
    if (word !== undefined) findings.push({ code: 'personal-data', file, detail: word });
    const uses = new Set<string>();
    if (file.endsWith('.html')) {
      const page = readPage(text);
      if (!page.hasHeading || !page.hasText) {
        findings.push({ code: 'page-empty', file, detail: '' });
      }
      for (const detail of page.unsafe) findings.push({ code: 'unsafe-markup', file, detail });
      for (const link of page.links) {
        if (foreign.has(link)) continue;
        const target = targetOf(link, file, origin, base);
        if (target === undefined) continue;
        if (!exists(target)) findings.push({ code: 'link-broken', file, detail: link });
        // Which thumbnails exist is part of what a page is made from, see `factsOf`.
        if (!isThumbnail(target)) uses.add(target);
      }
    }
    onFile?.(file, { hash: bytesHash(bytes), uses: [...uses], stamp });
    if (++read % SWEPT === 0) sweepAll();
  }
  return findings;
}

const NOTHING = Buffer.alloc(0);

/** Whether a file below the output folder has the name of a thumbnail. */
export const isThumbnail = (file: string): boolean =>
  file.startsWith(MEDIA) && isOutputName(file.slice(MEDIA.length));

const TELL: Record<VerifyFinding['code'], (finding: VerifyFinding) => string> = {
  'link-broken': ({ file, detail }) => `${file} links to ${detail}, which does not exist`,
  'page-missing': ({ file }) => `${file} was not made`,
  'page-empty': ({ file }) => `${file} is empty`,
  'unsafe-file': ({ file, detail }) => `${file} ${detail}`,
  'unsafe-markup': ({ file, detail }) => `${file} holds ${detail}`,
  'personal-data': ({ file, detail }) => `${file} holds ${detail}, a field of a batch`,
};

/** Findings as the error that stops a publish. */
export function verificationError(findings: readonly VerifyFinding[]): GateError {
  const lines = findings
    .slice(0, 10)
    .map((finding) => `- ${printable(TELL[finding.code](finding)).slice(0, 300)}`);
  if (findings.length > lines.length) lines.push(`- and ${findings.length - lines.length} more`);
  return new GateError({
    code: 'verify-failed',
    what: `The new site is not fit to be published:\n${lines.join('\n')}`,
    why: 'Every internal link must resolve, no page may be empty or hold markup that we do not write.',
    fix: 'If templates were changed, look there first; the published site is as it was.',
  });
}
