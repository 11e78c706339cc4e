import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { LoadedConfig } from '../../src/config/load.ts';
import type { Secret } from '../../src/config/secret.ts';
import type { BuildReport } from '../../src/publish/report/report.ts';
import { readTree } from '../support/build.ts';
import { verifyFolder } from '../support/verify-folder.ts';
import { unreportedDamage } from './damage.ts';
import type { Answer } from './faults.ts';
import { differing, type Pages, type Published, pagesOf, type Tree, thumbnailsIn } from './live.ts';
import type { DiskKind } from './schedule.ts';
import { HOUR } from './stage.ts';

/** Reads the report of a build. A killed build has none. */
export async function readReport(file: string): Promise<BuildReport | undefined> {
  return existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : undefined;
}

/** Facts about a dealer before a night is checked. */
export interface DealerNight {
  id: number;
  slug: string;
  name: string;
  /** Possible responses of its service. */
  possible: ReadonlySet<Answer>;
  /** Pages of the vehicles in the real stock. */
  honest: readonly string[];
  /** The build can read the state of the live site, which was built with the key configured now, which is correct. */
  believed: boolean;
  /** Its published record is unreadable or missing. */
  unreadable: boolean;
  /** Page of the vehicle whose record may be malformed in its service's response. */
  malformed: string | undefined;
  /** The user accepted a loss. */
  acceptsLoss: boolean;
  /** Latest possible confirmation of its last response, and the certain one. Undefined if a clock was set back. */
  confirmed: { latest: number; surely: number } | undefined;
}

/** A night, and the public site before and after it. */
export interface NightFacts {
  disk: DiskKind;
  /** The site's address returned 404 for everything during the build. */
  detached: boolean;
  /** The only stored state is a cache that is older than the live site. */
  isLate: boolean;
  /**
   * The disk may have no thumbnails and the site was unreadable. Thumbnails of pictures that the service
   * removed are then lost; `publish.maxPictureFailures` limits their number.
   */
  lacksThumbnails: boolean;
  now: number;
  before: Tree;
  after: Tree;
  /** Whether a new site is public. */
  published: boolean;
  killed: boolean;
  /** Deadlines are long enough for a slow machine. */
  patient: boolean;
  report: BuildReport | undefined;
  dealers: readonly DealerNight[];
  pictureFaults: boolean;
  /** A build was killed since the last publish: a disk may have a response that is not live. */
  unsettled: boolean;
  /** When an honest response first omitted a page's vehicle. */
  absentSince: ReadonlyMap<string, number>;
  /** Pages of vehicles from which the service removed a picture. */
  fewerPictures: ReadonlySet<string>;
}

const isThumbnail = (file: string): boolean => file.startsWith('media/');

/** Whether a thumbnail is complete: it has JPEG's EOI marker, or as many bytes as its RIFF header declares. */
function isWholePicture(file: string, latin1: string): boolean {
  const bytes = Buffer.from(latin1, 'latin1');
  if (file.endsWith('.jpg')) return bytes.subarray(-2).equals(Buffer.from([0xff, 0xd9]));
  return bytes.length > 12 && bytes.readUInt32LE(4) + 8 === bytes.length;
}

/**
 * A published folder is the old one, byte for byte except for the file of times, or a complete new one. A
 * killed build may have added thumbnails to the old one.
 */
export async function checkFolder(
  site: string,
  {
    config,
    before,
    after,
    claim,
  }: {
    config: LoadedConfig;
    before: Published;
    after: Published;
    /** Whether the build reported a publish. Undefined if it was killed. */
    claim: boolean | undefined;
  },
): Promise<string[]> {
  const found: string[] = [];
  const replaced = after.inode !== before.inode;
  if (before.inode !== undefined && after.inode === undefined) {
    found.push('the published folder is gone');
  }
  for (const [file, bytes] of after.files) {
    if (isThumbnail(file) && !isWholePicture(file, bytes)) found.push(`${file} is truncated`);
  }
  const mayBeNew = (file: string) =>
    claim === undefined && isThumbnail(file) && !before.files.has(file);
  const changed = replaced
    ? []
    : differing(before.files, after.files).filter((file) => !mayBeNew(file));
  if (changed.length > 0) found.push(`the published folder was changed in place: ${changed}`);
  if (claim === false && replaced)
    found.push('the report claims no publish, but the site was replaced');
  if (claim === true && !replaced)
    found.push('the report claims a publish, but the site was not replaced');
  if (!replaced || after.inode === undefined) return found;
  for (const file of ['index.html', '404.html', 'sitemap.xml', 'robots.txt']) {
    if (!after.files.has(file)) found.push(`${file} is missing`);
  }
  await verifyFolder(site, config.site.url, {
    secrets: config.dealers.map(({ apiKey }) => apiKey),
  }).catch((error: Error) => found.push(error.message));
  return found;
}

/** No file, name or output contains a current or former key. */
export async function checkKeys(
  folders: readonly string[],
  printed: string,
  keys: readonly Secret[],
): Promise<string[]> {
  const trees = await Promise.all(folders.map(readTree));
  const everything = trees.flatMap((tree) => [...tree].flat()).join('\n') + printed;
  return keys.some((key) => key.occursIn(everything))
    ? ['a key is in a file, a name or the output']
    : [];
}

/** Whether this loss has to be held: at least 2 vehicles and more than 30 %, or all. */
function isLoss(before: Pages, after: ReadonlySet<string>): boolean {
  const missing = [...before.listed.keys()].filter((file) => !after.has(file)).length;
  const all = before.listed.size;
  return missing > 0 && (missing === all || (missing >= 2 && missing > all * 0.3));
}

const isLive = (files: Tree, slug: string): boolean => files.has(`${slug}/index.html`);
const DAY = 24 * HOUR;
const WITHDRAWN_FOR = 14 * DAY;
const MAX_SNAPSHOT_AGE = 72 * HOUR;

/** Losses in a night that must not happen. */
function checkVisitors(facts: NightFacts): string[] {
  const { disk, before, after, absentSince, now } = facts;
  const found: string[] = [];
  for (const { slug, possible, believed, acceptsLoss, honest, malformed } of facts.dealers) {
    if (!isLive(before, slug)) continue;
    const mayBeEmpty = possible.has('empty') || honest.length === 0;
    if (!isLive(after, slug)) {
      if (disk !== 'unreachable' || !mayBeEmpty) found.push(`${slug} vanished`);
      continue;
    }
    // A response without a comparison is trusted.
    if (disk === 'unreachable') continue;
    const was = pagesOf(before, slug);
    const is = pagesOf(after, slug);
    const missing = [...was.listed.keys()].filter((file) => !is.listed.has(file));
    // An older cache replaces an untrusted record if it is missing few vehicles.
    const isOlder = !believed && !possible.has('whole') && disk !== 'empty';
    // Without a trusted record a build cannot know the vehicle of a malformed record.
    const required = missing.filter((file) => file !== malformed || (believed && !facts.unsettled));
    for (const file of isOlder ? [] : required) {
      const absent = absentSince.has(file);
      // Without trusted stored state, a missing vehicle is unknown.
      if (!is.withdrawn.has(file) && (believed || !absent)) found.push(`${file} is gone at once`);
      if (is.withdrawn.has(file) && !absent) {
        found.push(`${file} is withdrawn although every honest response lists it`);
      }
    }
    // A cache from before the deploy of these vehicles does not know them.
    if (!acceptsLoss && !facts.isLate && isLoss(was, new Set(is.listed.keys()))) {
      found.push(
        `${slug} shrank by ${missing.length} of ${was.listed.size}, without an accepted loss`,
      );
    }
    const acceptsBare = acceptsLoss && possible.has('bare');
    const comparesPictures = believed && !facts.unsettled && !acceptsBare && !facts.lacksThumbnails;
    for (const [file, html] of comparesPictures ? is.listed : []) {
      if (facts.fewerPictures.has(file)) continue;
      const shown = thumbnailsIn(was.listed.get(file) ?? '');
      const remaining = thumbnailsIn(html);
      if (remaining < shown)
        found.push(`${file} shows ${remaining} thumbnails where ${shown} were`);
    }
    for (const file of believed ? was.withdrawn : []) {
      const since = absentSince.get(file) ?? now;
      if (after.has(file) || now - since >= WITHDRAWN_FOR) continue;
      found.push(`${file} was withdrawn for less than the configured time`);
    }
  }
  return found;
}

/** Result of a dealer in the report. */
type Outcome = 'taken' | 'held' | 'refused' | 'none';

function outcomeOf(dealer: BuildReport['dealers'][number]): Outcome {
  if (dealer.source === 'live') return 'taken';
  if (/^stock-\w+-loss$/.test(dealer.problem?.code ?? '')) return 'held';
  return dealer.problem?.code.startsWith('service-refused') ? 'refused' : 'none';
}

const CAUSES: Record<Outcome, readonly Answer[]> = {
  taken: ['whole', 'empty', 'bare', 'malformed'],
  held: ['whole', 'empty', 'bare', 'malformed'],
  refused: ['refused'],
  none: ['none'],
};

/** An entry that needs attention, with its `dealer` if it concerns one. */
export interface Attention {
  dealer?: unknown;
  code: string;
  fix?: string;
}

export const attentionOf = (report: object): readonly Attention[] =>
  (report as { attention?: readonly Attention[] }).attention ?? [];

const isAbout = ({ dealer }: Attention, { id, slug, name }: DealerNight): boolean =>
  [id, slug, name].includes(dealer as string | number);

/**
 * Whether a dealer's pages list the vehicles of its service.
 *
 * @param mustKeep whether the vehicle of a malformed record is known and has to be listed.
 */
function listsAnswer(
  { possible, honest, malformed }: DealerNight,
  is: Pages,
  { mustKeep }: { mustKeep: boolean },
): boolean {
  const listed = [...is.listed.keys()].sort().join(' ');
  const complete = honest.toSorted().join(' ');
  const readable = honest.filter((file) => file !== malformed);
  const wanted = [
    ...(possible.has('empty') ? [''] : []),
    ...(['whole', 'bare', 'malformed'] as const).flatMap((one) =>
      possible.has(one) ? complete : [],
    ),
    ...(possible.has('malformed') && !mustKeep ? [readable.toSorted().join(' ')] : []),
  ];
  return wanted.includes(listed);
}

/** One dealer of a published site. */
function checkDealer(facts: NightFacts, dealer: DealerNight, report: BuildReport): string[] {
  const { slug, possible, honest, believed, confirmed } = dealer;
  const entry = report.dealers.find(({ id }) => id === dealer.id);
  if (!entry) return [`${slug} is not in the report`];
  const outcome = outcomeOf(entry);
  if (!CAUSES[outcome].some((answer) => possible.has(answer))) {
    return [`${slug} is ${outcome}, but its service gave ${[...possible].join(' or ')}`];
  }
  const found: string[] = [];
  const was = pagesOf(facts.before, slug);
  const is = pagesOf(facts.after, slug);
  const settled = believed && !facts.unsettled;
  const live = isLive(facts.before, slug);
  const canCompare = facts.disk !== 'unreachable';
  if (outcome === 'taken') {
    const mustKeep = was.listed.has(dealer.malformed ?? '') && settled && canCompare;
    if (!listsAnswer(dealer, is, { mustKeep })) {
      found.push(`${slug} is fresh, but lists other vehicles`);
    }
  } else if (!canCompare) {
    found.push(`${slug} gave nothing and has no stored state, but a site was published`);
  } else if (
    live &&
    settled &&
    !facts.lacksThumbnails &&
    [...was.listed].some(([file, html]) => is.listed.get(file) !== html)
  ) {
    found.push(`${slug} is ${outcome}, but its pages are not from the snapshot`);
  }
  const empties = (possible.has('empty') || possible.has('bare')) && was.listed.size > 0;
  if (outcome === 'held' && settled && !empties && !isLoss(was, new Set(honest))) {
    found.push(`${slug} is held without a large loss`);
  }
  const entries = attentionOf(report).filter((one) => isAbout(one, dealer));
  const tooOld = confirmed !== undefined && facts.now - confirmed.latest > MAX_SNAPSHOT_AGE;
  const young = confirmed !== undefined && facts.now - confirmed.surely <= MAX_SNAPSHOT_AGE;
  // A cache may have a dealer that was built and never deployed.
  const isUnknown = !live && !facts.unsettled;
  const needed =
    ['refused', 'held'].includes(outcome) || (outcome === 'none' && (isUnknown || tooOld));
  if (needed && entries.length === 0)
    found.push(`${slug} is ${outcome}, but has no attention entry`);
  const calm = outcome === 'taken' || (outcome === 'none' && live && young);
  const odd = possible.has('bare') || possible.has('malformed');
  if (calm && canCompare && settled && !odd && !facts.pictureFaults && entries.length > 0) {
    found.push(`${slug} needs attention, but is ${outcome}: ${entries[0]?.code}`);
  }
  if (outcome === 'held' && !/--accept-loss \S/.test(JSON.stringify([entry.problem, entries]))) {
    found.push(`${slug} is held without a command that accepts the loss`);
  }
  return found;
}

/** Whether there was a reason not to publish. Undefined if there was. */
function wronglyStopped(facts: NightFacts, report: BuildReport): string | undefined {
  const { exitCode, problem } = report;
  const { dealers, before } = facts;
  const isRefused = ({ possible }: DealerNight) => possible.has('refused');
  const mayLack = (one: DealerNight) => one.possible.has('none') || isRefused(one);
  const mayBeNothing = ({ slug, possible, honest }: DealerNight) =>
    possible.has('empty') || honest.length === 0 || pagesOf(before, slug).listed.size === 0;
  // Without trusted stored state there is no snapshot.
  const mayFail = (one: DealerNight) =>
    mayLack(one) ||
    (['empty', 'bare', 'malformed'] as const).some((answer) => one.possible.has(answer)) ||
    isLoss(pagesOf(before, one.slug), new Set(one.honest));
  const is = (code: number) => exitCode === code;
  const allowed =
    (is(6) && dealers.some(({ possible }) => possible.has('leak'))) ||
    (is(3) && dealers.every(isRefused)) ||
    (facts.pictureFaults && problem?.code === 'publish-too-many-pictures-failed') ||
    (!facts.patient && problem?.code === 'media-encoder-failed') ||
    (facts.disk === 'unreachable' && is(3) && dealers.some(isRefused)) ||
    (facts.disk === 'unreachable' && is(4) && dealers.some(mayLack)) ||
    (problem?.code === 'publish-nothing' && dealers.every(mayBeNothing)) ||
    dealers.some(
      (one) =>
        isLive(before, one.slug) &&
        !one.believed &&
        ((is(3) && isRefused(one)) || ([4, 5].includes(exitCode) && mayFail(one))),
    );
  return allowed
    ? undefined
    : `nothing was published without need: exit code ${exitCode}, ${problem?.code}`;
}

/** Invariants of every night: its public site and its report. */
export function checkNight(facts: NightFacts): string[] {
  const { report, published, killed } = facts;
  const found = published ? checkVisitors(facts) : [];
  if (killed || !report) return found;
  // Such a build may have no stored state. If its deploy is refused, visitors lose nothing.
  if (facts.detached && !published) return found;
  if (report.outcome === 'not-published') {
    const wrong = wronglyStopped(facts, report);
    return wrong === undefined ? found : [...found, wrong];
  }
  for (const dealer of facts.dealers) found.push(...checkDealer(facts, dealer, report));
  if (facts.disk === 'empty') found.push(...unreportedDamage(facts, report));
  const attention = attentionOf(report);
  if (report.exitCode !== (attention.length > 0 ? 8 : 0)) {
    found.push(`exit code ${report.exitCode} with ${attention.length} attention entries`);
  }
  if (facts.disk === 'unreachable' && attention.length === 0) {
    found.push('nothing could be compared, and there is no attention entry');
  }
  return found;
}
