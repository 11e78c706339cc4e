import type { SecretSearch } from '../../config/secret-search.ts';
import { GateError, printable } from '../../errors.ts';
import type { OutputNames } from '../../media/store/output-names.ts';
import type { PublishedFile } from '../../record/files.ts';
import { collisions, isSafeFile } from '../files.ts';
import { keyIn, refuseKey } from '../secrets.ts';
import { isThumbnail, type Listing, listSite, MEDIA } from '../tree/listing.ts';
import { lengthen, SharedUses } from '../tree/uses.ts';
import { type InspectContext, type Inspected, openInspector } from './inspect.ts';
import { inspectAll } from './lanes.ts';

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

export interface VerifyOptions extends Omit<InspectContext, 'forms' | 'personalWords'> {
  personalWords?: InspectContext['personalWords'];
  search: SecretSearch;
  /** Files that must be there, below the folder. */
  expected: Iterable<string>;
  /** Thumbnails that must be there. */
  outputs: OutputNames;
  /** Those of them that are in the published folder, and stay there. */
  staying?: OutputNames;
  /** Addresses that the service gave: they are its own matter even where they name our site. */
  foreign?: ReadonlySet<string>;
  /** Files that somebody else is going to put there. */
  elsewhere?: Iterable<string>;
  /** Files that were looked at before and still have the same bytes: only their links are checked. */
  known?: ReadonlyMap<string, Pick<PublishedFile, 'uses'>>;
  /** Called with every other file. */
  onFile?: (file: string, found: Omit<PublishedFile, 'key'>) => void;
  /** A second pair of eyes: takes a share of the files where there are many. */
  inspect?: ((files: string[]) => Promise<Inspected[]>) | undefined;
  signal?: AbortSignal | undefined;
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
  search,
  expected,
  outputs,
  staying,
  elsewhere = [],
  foreign = new Set(),
  known = new Map(),
  onFile,
  inspect,
  personalWords = 'anywhere',
  signal,
}: VerifyOptions): Promise<VerifyFinding[]> {
  const listing = listSite(folder);
  const { files, thumbnails } = listing;
  if (staying) thumbnails.addAll(staying);
  const there = new Set([...files, ...elsewhere]);
  const exists = (file: string): boolean =>
    there.has(file) || (file.startsWith(MEDIA) && thumbnails.has(file.slice(MEDIA.length)));
  const findings = fileFindings(listing);
  for (const file of expected) {
    if (!exists(file)) findings.push({ code: 'page-missing', file, detail: '' });
  }
  for (const name of outputs.without(thumbnails)) {
    findings.push({ code: 'page-missing', file: MEDIA + name, detail: '' });
  }
  for (const name of thumbnails) {
    refuseKey(MEDIA + name, keyIn(search, MEDIA + name, NOTHING));
  }
  const unread: string[] = [];
  for (const file of files) {
    const before = known.get(file);
    if (!before) unread.push(file);
    for (const used of before?.uses ?? []) {
      const target = lengthen(file, used);
      if (!exists(target)) findings.push({ code: 'link-broken', file, detail: target });
    }
  }

  const uses = new SharedUses();
  const take = ({ file, hash, size, key, personal, page }: Inspected): VerifyFinding[] => {
    refuseKey(file, key);
    const its: VerifyFinding[] = [];
    if (personal !== undefined) its.push({ code: 'personal-data', file, detail: personal });
    if (page?.isEmpty) its.push({ code: 'page-empty', file, detail: '' });
    for (const detail of page?.unsafe ?? []) its.push({ code: 'unsafe-markup', file, detail });
    const own = page?.links.filter(([link]) => !foreign.has(link)) ?? [];
    for (const [link, target] of own) {
      if (!exists(target)) its.push({ code: 'link-broken', file, detail: link });
    }
    // Which thumbnails exist is part of what a page is made from, see `factsOf`.
    const pages = own.map(([, target]) => target).filter((target) => !isThumbnail(target));
    onFile?.(file, { hash, size, uses: uses.of(file, pages) });
    return its;
  };
  const look = openInspector({ folder, siteUrl, forms: search.forms, personalWords });
  findings.push(...(await inspectAll(unread, { look, inspect, take, signal })));
  return findings;
}

const NOTHING = Buffer.alloc(0);

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
