import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Parser } from 'htmlparser2';
import type { Secret } from '../config/secret.ts';
import { GateError, SecretFoundError } from '../errors.ts';
import { isOutputName } from '../media/recipes.ts';

/** Something that must not be published. Codes are stable; the prose stands in `tell`. */
export interface VerifyFinding {
  code: 'page-missing' | 'page-empty' | 'link-broken' | 'personal-data';
  /** File below the site's folder. */
  file: string;
  detail: string;
}

/** Field names that hold personal data in batches (interface 2.3): the site must know none of them. */
const PERSONAL_FIELDS = /RecipientEmail|RecipientMobile|MarketingContactId|SendingUserName/;

const LINK_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  link: ['href'],
  img: ['src', 'srcset'],
  source: ['src', 'srcset'],
  script: ['src'],
  iframe: ['src'],
  video: ['src', 'poster'],
};

interface Page {
  links: string[];
  hasHeading: boolean;
  hasText: boolean;
}

function readPage(html: string): Page {
  const page: Page = { links: [], hasHeading: false, hasText: false };
  let inMain = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'main' || inMain > 0) inMain++;
      if (name === 'h1') page.hasHeading = true;
      for (const attribute of LINK_ATTRIBUTES[name] ?? []) {
        const value = attributes[attribute];
        if (value === undefined) continue;
        if (attribute !== 'srcset') page.links.push(value);
        else
          page.links.push(...value.split(',').map((entry) => entry.trim().split(/\s+/)[0] ?? ''));
      }
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

async function listFiles(folder: string, below = ''): Promise<string[]> {
  const entries = await readdir(path.join(folder, below), { withFileTypes: true });
  const lists = await Promise.all(
    entries.map((entry) => {
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      return entry.isDirectory() ? listFiles(folder, name) : [name];
    }),
  );
  return lists.flat();
}

/** The file that an internal address stands for; undefined for addresses of other sites. */
function targetOf(link: string, from: string, origin: string, base: string): string | undefined {
  const page = new URL(`${origin}${base}/${from}`);
  const url = URL.parse(link, page.href);
  if (url === null || url.origin !== page.origin) return undefined;
  const path_ = decodeURIComponent(url.pathname);
  if (!path_.startsWith(`${base}/`)) return undefined;
  const file = path_.slice(base.length + 1);
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
}

/**
 * Looks at every file of a finished site before it may be published: links and pictures resolve,
 * no page is empty, no key is in any file or name in any form, no field of a batch is there.
 * Thumbnails are our own encoder's output without metadata, so of them only the names are read.
 *
 * @throws {SecretFoundError} a key was found; the file is named, the key is not.
 */
export async function verifySite({
  folder,
  siteUrl,
  secrets,
  expected,
}: VerifyOptions): Promise<VerifyFinding[]> {
  const { origin, pathname } = new URL(siteUrl);
  const base = pathname.replace(/\/+$/, '');
  const files = await listFiles(folder);
  const existing = new Set(files);
  const findings: VerifyFinding[] = [];
  for (const file of expected) {
    if (!existing.has(file)) findings.push({ code: 'page-missing', file, detail: '' });
  }
  const forms = secrets.flatMap((secret) => secret.forms());
  for (const file of files) {
    const isThumbnail = file.startsWith('media/') && isOutputName(file.slice('media/'.length));
    const bytes = isThumbnail ? undefined : await readFile(path.join(folder, file));
    const text = bytes ? decompress(file, bytes).toString('utf8') : '';
    if (forms.some((form) => file.includes(form) || text.includes(form))) {
      throw new SecretFoundError({
        code: 'secret-in-site',
        what: `An API key was found in ${file.includes(forms[0] ?? '\0') ? 'a file name' : `the file ${file}`} of the new site.`,
        why: 'Everything in that folder becomes public, so nothing was published.',
        fix: 'Find where it comes from (an address of the service? the configuration?), and have the key replaced.',
      });
    }
    if (PERSONAL_FIELDS.test(text)) {
      findings.push({ code: 'personal-data', file, detail: PERSONAL_FIELDS.exec(text)?.[0] ?? '' });
    }
    if (!file.endsWith('.html')) continue;
    const page = readPage(text);
    if (!page.hasHeading || !page.hasText) findings.push({ code: 'page-empty', file, detail: '' });
    for (const link of page.links) {
      const target = targetOf(link, file, origin, base);
      if (target !== undefined && !existing.has(target)) {
        findings.push({ code: 'link-broken', file, detail: link });
      }
    }
  }
  return findings;
}

const TELL: Record<VerifyFinding['code'], (finding: VerifyFinding) => string> = {
  'link-broken': ({ file, detail }) => `${file} links to ${detail}, which does not exist`,
  'page-missing': ({ file }) => `${file} was not made`,
  'page-empty': ({ file }) => `${file} is empty`,
  'personal-data': ({ file, detail }) => `${file} holds ${detail}, a field of a batch`,
};

/** Findings as the error that stops a publish. */
export function verificationError(findings: readonly VerifyFinding[]): GateError {
  const lines = findings.slice(0, 10).map((finding) => `- ${TELL[finding.code](finding)}`);
  if (findings.length > lines.length) lines.push(`- and ${findings.length - lines.length} more`);
  return new GateError({
    code: 'verify-failed',
    what: `The new site is not fit to be published:\n${lines.join('\n')}`,
    why: 'Every internal link must resolve and no page may be empty.',
    fix: 'If templates were changed, look there first; the published site is as it was.',
  });
}
