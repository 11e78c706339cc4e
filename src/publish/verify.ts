import { readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Secret } from '../config/secret.ts';
import { GateError, printable, SecretFoundError } from '../errors.ts';
import { isOutputName } from '../media/recipes.ts';
import { sweepAll } from '../media/sweep.ts';
import { collisions, isSafeFile } from './files.ts';
import { readPage } from './read-page.ts';
import { type Listing, listFiles } from './tree/listing.ts';
import { bytesHash, type PageRow } from './tree/page-manifest.ts';

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
  secrets: readonly Secret[];
  /** Files that must be there, below the folder. */
  expected: Iterable<string>;
  /** Addresses that the service gave: they are its own matter even where they name our site. */
  foreign?: ReadonlySet<string>;
  /** Files that somebody else is going to put there. */
  elsewhere?: Iterable<string>;
  /** Files that were looked at before and still have the same bytes: only their links are checked. */
  known?: ReadonlyMap<string, Pick<PageRow, 'uses'>>;
  /** Called with every file that was read, the hash of its bytes, and the files that it links to. */
  onFile?: (file: string, hash: string, uses: string[]) => void;
  /** Names of personal fields are looked for anywhere, or only as keys; see `speaksOfBatches`. */
  personalWords?: 'anywhere' | 'as-keys';
}

/** @throws {SecretFoundError} a key is in the text or in the file's name. */
export function refuseSecrets(
  forms: readonly string[],
  file: string,
  text: Pick<string, 'includes'>,
): void {
  const inName = forms.some((form) => file.includes(form));
  if (!inName && !forms.some((form) => text.includes(form))) return;
  throw new SecretFoundError({
    code: 'secret-in-site',
    what: `An API key was found in ${inName ? 'a file name' : `the file ${file}`} of the new site.`,
    why: 'Everything in that folder becomes public, so nothing was published.',
    fix: 'Find where it comes from (an address of the service? the configuration?), and have the key replaced.',
  });
}

/** All spellings of all keys. Dealers often share a key: each is looked for once. */
export const formsOf = (secrets: readonly Secret[]): string[] => [
  ...new Set(secrets.flatMap((secret) => secret.forms())),
];

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
  secrets,
  expected,
  elsewhere = [],
  foreign = new Set(),
  known = new Map(),
  onFile,
  personalWords = 'anywhere',
}: VerifyOptions): VerifyFinding[] {
  const { origin, pathname } = new URL(siteUrl);
  const base = pathname.replace(/\/+$/, '');
  const listing = listFiles(folder);
  const { files } = listing;
  const existing = new Set([...files, ...elsewhere]);
  const findings = fileFindings(listing);
  const personal = personalWords === 'anywhere' ? PERSONAL_FIELDS : PERSONAL_KEYS;
  for (const file of expected) {
    if (!existing.has(file)) findings.push({ code: 'page-missing', file, detail: '' });
  }
  const forms = formsOf(secrets);
  let read = 0;
  for (const file of files) {
    const before = known.get(file);
    if (before) {
      for (const target of before.uses) {
        if (!existing.has(target)) findings.push({ code: 'link-broken', file, detail: target });
      }
      continue;
    }
    if (isThumbnail(file)) {
      refuseSecrets(forms, file, '');
      continue;
    }
    // Synchronous: one at a time, a promise costs five times the reading (measured at 4,000 files).
    const bytes = readFileSync(path.join(folder, file));
    const text = decompress(file, bytes).toString('utf8');
    refuseSecrets(forms, file, text);
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
        if (!existing.has(target)) findings.push({ code: 'link-broken', file, detail: link });
        // Which thumbnails exist is part of what a page is made from, see `factsOf`.
        if (!isThumbnail(target)) uses.add(target);
      }
    }
    onFile?.(file, bytesHash(bytes), [...uses]);
    if (++read % SWEPT === 0) sweepAll();
  }
  return findings;
}

/** Whether a file below the output folder has the name of a thumbnail. */
export const isThumbnail = (file: string): boolean =>
  file.startsWith('media/') && isOutputName(file.slice('media/'.length));

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
