import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isThumbnail } from '../../change-set/listing.ts';
import { refuseKey } from '../../config/secret-search.ts';
import { GateError, printable } from '../../errors.ts';
import type { OutputNames } from '../../images/output-names.ts';
import { MEDIA } from '../../images/stores/folder.ts';
import { collectAllGarbage } from '../../lib/garbage-collection.ts';
import type { FileRows, PublishedFile } from '../../record/files.ts';
import { type InspectContext, openInspector, type VerifyFinding } from './inspect.ts';

export interface VerifyOptions extends InspectContext {
  /** Keys of new files. Each file is inspected. */
  newKeys: ReadonlyMap<string, string>;
  /** Further files to inspect. They are not in any list. */
  unlisted?: Iterable<string>;
  /** Unchanged files. An earlier build inspected them, so only their links are checked. */
  unchangedRows: FileRows;
  /** Thumbnails of the next site. */
  outputs: OutputNames;
  /** URLs from the service. They are not checked, even if they point to this site. */
  fromService: ReadonlySet<string>;
  signal?: AbortSignal;
}

/** The links of a page as one text. Links into its folder begin with a dot, so that similar pages share them. */
function usesText(file: string, targets: readonly string[]): string {
  const folder = `${path.posix.dirname(file)}/`;
  return [...new Set(targets)]
    .map((used) => (used.startsWith(folder) ? `./${used.slice(folder.length)}` : used))
    .sort()
    .join('\n');
}

/** Files inspected between two turns of the event loop. */
const TURN = 40;
/** Number of files after which garbage is collected. */
const FILES_PER_COLLECTION = 4000;

/**
 * Verifies files before they are published. Links and pictures must resolve, and no page may be empty. No file
 * may contain a key in any form, or a field of a batch. Thumbnails are not searched: this program encodes them
 * without metadata.
 *
 * @throws {SecretFoundError} a key was found. The file is named, the key is not.
 */
export async function verifyFiles(options: VerifyOptions) {
  const {
    newKeys,
    unlisted = [],
    unchangedRows,
    outputs,
    fromService,
    signal,
    ...context
  } = options;
  /** New and unchanged files. */
  const rows = new Map<string, PublishedFile>(unchangedRows);
  /** Links to other files, by path: a page with the link, and its spelling there. */
  const links = new Map<string, { from: string; link: string }>();
  /** Findings that stop the publish. */
  const findings: VerifyFinding[] = [];
  const check = (file: string, target: string, link = target): void => {
    if (newKeys.has(target) || unchangedRows.has(target)) return;
    if (!links.has(target)) links.set(target, { from: file, link });
  };
  for (const [file, { uses }] of unchangedRows) {
    const folder = path.posix.dirname(file);
    for (const used of uses)
      check(file, used.startsWith('./') ? `${folder}${used.slice(1)}` : used);
  }

  // Stores each set of linked files once, because most pages of a dealer link to the same files.
  const usesByText = new Map<string, readonly string[]>([['', []]]);
  const inspect = openInspector(context);
  let inspectedCount = 0;
  for (const file of [...newKeys.keys(), ...unlisted]) {
    const inspected = inspect(file);
    const { hash, size } = inspected;
    refuseKey(file, inspected.key);
    findings.push(...inspected.findings);
    // The key of a page already covers its thumbnails, see `factsOf`.
    const pages: string[] = [];
    for (const [link, target] of inspected.links) {
      if (fromService.has(link)) continue;
      if (!isThumbnail(target)) {
        pages.push(target);
        check(file, target, link);
      } else if (!outputs.has(target.slice(MEDIA.length))) {
        findings.push({ code: 'link-broken', file, detail: link });
      }
    }
    const planned = newKeys.get(file);
    if (planned !== undefined) {
      const text = usesText(file, pages);
      const uses = usesByText.get(text) ?? text.split('\n');
      usesByText.set(text, uses);
      rows.set(file, { key: planned, hash, size, uses });
    }
    inspectedCount++;
    if (inspectedCount % FILES_PER_COLLECTION === 0) collectAllGarbage();
    if (inspectedCount % TURN > 0) continue;
    // Lets signal handlers run.
    await setImmediate();
    signal?.throwIfAborted();
  }
  return { rows, links, findings };
}

export type Verified = Awaited<ReturnType<typeof verifyFiles>>;

/**
 * Refuses a site with findings. Broken links between its parts are also findings.
 *
 * @throws {GateError} lists all findings.
 */
export function refuseFindings(
  results: readonly Pick<Verified, 'findings' | 'links'>[],
  exists: (file: string) => boolean,
): void {
  const broken = results
    .flatMap(({ links }) => [...links])
    .filter(([target]) => !exists(target))
    .map(([, { from, link }]) => ({ code: 'link-broken', file: from, detail: link }) as const);
  const findings = [...results.flatMap((one) => one.findings), ...broken];
  if (findings.length > 0) throw verificationError(findings);
}

const DESCRIBE: Record<VerifyFinding['code'], (finding: VerifyFinding) => string> = {
  'link-broken': ({ file, detail }) => `${file} links to ${detail}, which does not exist`,
  'page-empty': ({ file }) => `${file} is empty: it has no <h1>, or no text in <main>`,
  'unsafe-markup': ({ file, detail }) => `${file} holds ${detail}`,
  'not-opened': ({ file, detail }) => `${file} has a ${detail} does not name`,
  'personal-data': ({ file, detail }) => `${file} holds ${detail}, a field of a batch`,
};

const FILE = /\.(?:avif|gif|jpe?g|pdf|png|svg|webp)(?:[?#]|$)/i;

/** Fixes for frequent mistakes in custom pages. */
function* hintsFor(findings: readonly VerifyFinding[]): Iterable<string> {
  if (findings.some(({ code }) => code === 'page-empty'))
    yield ' A custom page in Markdown needs "layout: page.njk" in its front matter.';
  if (findings.some(({ code, detail }) => code === 'link-broken' && detail.startsWith('#')))
    yield ' Each page needs the icons that it uses, see templates/partials/icons.njk.';
  if (findings.some(({ code, detail }) => code === 'link-broken' && FILE.test(detail)))
    yield ' Files next to custom pages need addPassthroughCopy (docs/extending.md#files), pictures of eleventy-img an outputDir in eleventyConfig.directories.output.';
}

function verificationError(findings: readonly VerifyFinding[]): GateError {
  const lines = findings
    .slice(0, 10)
    .map((finding) => `- ${printable(DESCRIBE[finding.code](finding)).slice(0, 300)}`);
  if (findings.length > lines.length) lines.push(`- and ${findings.length - lines.length} more`);
  return new GateError({
    code: 'verify-failed',
    what: `The new site failed its checks:\n${lines.join('\n')}`,
    why: 'Every internal link must resolve. No page may be empty, contain unknown markup or use hosts that site.policy does not allow.',
    fix: `If templates were changed, check those first.${[...hintsFor(findings)].join('')} The published site is unchanged.`,
  });
}
