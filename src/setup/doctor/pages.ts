import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import type { MediaResult } from '../../images/line/types.ts';
import { PageMaker } from '../../publish/build/pages.ts';
import { planOf, withNavigation } from '../../publish/build/prepare.ts';
import { checkDealers, outcomeOf } from '../../publish/gates/gates.ts';
import { toError } from '../../publish/outcome/to-error.ts';
import { makeCustomPages } from '../../render/custom-pages.ts';
import { readUserFiles, type UserFiles } from '../../render/user-files.ts';
import { hasWords, LANGUAGES } from '../../site/i18n/index.ts';
import { isLanguage } from '../../site/i18n/theme-words.ts';
import { type FeedFile, feedFiles, feedText } from '../../site/vehicle-feeds/feed.ts';
import type { DealerList } from '../../stock/list.ts';
import type { DealerStock } from '../../stock/load.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import { type Finding, finding, passedOn } from '../findings.ts';

/** Warns if pages are in English because there are no texts for the locale. */
function checkTexts({ site }: LoadedConfig, { theme }: UserFiles): Finding[] {
  const { locale } = site;
  if (hasWords(locale, theme.languages)) return [];
  const { language } = new Intl.Locale(locale);
  const known = isLanguage(language);
  const there = Object.keys(LANGUAGES);
  const what = `There are no texts for site.locale "${locale}": pages will be in English, with English dates and numbers.`;
  const why = `Words come with this program for ${there.join(' and ')}.`;
  const fix = known
    ? `Put all words under "${language}" into theme/words.json (docs/theming.md#words), or choose another site.locale.`
    : `Choose another site.locale: the plural forms of "${language}" are not known.`;
  return [finding('words-missing', { locale, language, known, there }, what, { why, fix })];
}

/** Reads theme, texts and logos as a build does, and reports all problems. */
export async function checkUserFiles(
  config: LoadedConfig,
  signal: AbortSignal | undefined,
): Promise<{ findings: Finding[]; userFiles: UserFiles | undefined }> {
  const findings: Finding[] = [];
  const userFiles = await readUserFiles(config, {
    signal,
    onProblem: (problem) => findings.push(passedOn('files-wrong', toError(problem))),
  });
  if (!userFiles) return { findings, userFiles };
  findings.push(...checkTexts(config, userFiles));
  for (const { id, name } of config.dealers) {
    const ground = userFiles.assets.logos.get(id)?.ground;
    if (ground) {
      const pages = ground === 'light' ? 'dark' : 'light';
      const what = `${name}: the logo can hardly be seen on ${pages} pages. They show it on a ${ground} plate.`;
      findings.push(finding('logo-on-plate', { dealer: name, ground }, what));
    }
  }
  return { findings, userFiles };
}

interface PagesOptions {
  vehicles: readonly Vehicle[];
  /** Ids of the dealers whose response a build would use. */
  answered: ReadonlySet<number>;
  /** Usable stock lists by dealer. */
  lists: ReadonlyMap<number, DealerList>;
  /** The sample of pictures. */
  media: Pick<MediaResult, 'contentOf' | 'outputs'>;
  now: number;
  signal?: AbortSignal | undefined;
}

/** All files of a site but thumbnails. */
export interface PageFiles {
  count: number;
  bytes: number;
  largest: number;
  /** Most entries in one folder. */
  fullestFolder: number;
}

/** Plate of a vehicle that is withdrawn in the pages of the doctor. A site with such a vehicle has no such page. */
const WITHDRAWN = 'GONE4EVER';

/** The stock as a build has it, with a withdrawn vehicle for each dealer, so that its page is checked too. */
function stockOf(
  config: LoadedConfig,
  { vehicles, answered, lists, now }: Pick<PagesOptions, 'vehicles' | 'answered' | 'lists' | 'now'>,
): DealerStock[] {
  const takenAt = new Date(now).toISOString();
  const byDealer = Map.groupBy(vehicles, ({ dealerId }) => dealerId);
  return config.dealers.map((dealer) => {
    const list = byDealer.get(dealer.id) ?? [];
    const isShown = list.some(({ vrm }) => vrm.replaceAll(' ', '').toUpperCase() === WITHDRAWN);
    return {
      dealer,
      source: answered.has(dealer.id) ? 'live' : 'none',
      vehicles: list,
      withdrawn: list.length > 0 && !isShown ? [{ vrm: WITHDRAWN, since: takenAt }] : [],
      list: lists.get(dealer.id),
      takenAt,
      notes: [],
    };
  });
}

/** How many vehicles each feed would have. */
const feedFindings = (feeds: readonly FeedFile[]): Finding[] =>
  feeds.map(({ content: _, ...feed }) =>
    finding(
      Object.keys(feed.missing).length > 0 ? 'feed-incomplete' : 'feed-complete',
      feed,
      `${feedText(feed)}.`,
    ),
  );

/** Size of a card for shared links. Cards are not drawn here. Measured: 63 to 64 kB on average, of drawn pictures. */
const CARD_BYTES = 64_000;

/** Record and list of files of a dealer; list of the other files, and times of the site. */
const RECORD_FILES = { dealer: 2, site: 2 };

/**
 * Makes all pages as a build does, without writing them, and counts all files. So a name that no template knows,
 * a custom page or a picture that a style sheet lacks is found before it stops a build.
 */
export async function checkPages(
  config: LoadedConfig,
  userFiles: UserFiles,
  options: PagesOptions,
): Promise<{ findings: Finding[]; files: PageFiles | undefined }> {
  const { vehicles, answered, media, signal } = options;
  const stock = stockOf(config, options);
  const isComplete = answered.size === config.dealers.length;
  const files: PageFiles = {
    count: RECORD_FILES.dealer * answered.size + RECORD_FILES.site,
    bytes: 0,
    largest: 0,
    fullestFolder: 0,
  };
  const folders = new Map<string, Set<string>>();
  const write = (_: string, content: string | Uint8Array) => {
    files.bytes += Buffer.byteLength(content);
    files.largest = Math.max(files.largest, Buffer.byteLength(content));
  };
  const count = ({ file }: { file: string }) => {
    if (file.includes(`/${WITHDRAWN.toLowerCase()}/`)) return true;
    if (/\/(?:card|front)\.jpg$/.test(file)) {
      files.bytes += CARD_BYTES;
      files.largest = Math.max(files.largest, CARD_BYTES);
    }
    files.count++;
    const folder = path.posix.dirname(file);
    const parent = path.posix.dirname(folder);
    folders.set(folder, (folders.get(folder) ?? new Set()).add(file));
    folders.set(parent, (folders.get(parent) ?? new Set()).add(folder));
    return true;
  };
  try {
    if (isComplete) {
      checkDealers(
        stock.map((one) => outcomeOf(one)),
        { complete: true },
      );
    }
    const linked = await withNavigation(config, userFiles, signal);
    const plan = await planOf(config, stock, { ...linked, media }, undefined, linked.assets);
    if (vehicles.length === 0) return { findings: [], files: undefined };
    const maker = new PageMaker({
      theme: userFiles.theme,
      write,
      siteUrl: config.site.url,
      signal,
    });
    const all = { mustMake: count, mustMakeRecord: () => false };
    const made = await maker.dealers(plan, all, ({ dealerId }) => ({
      id: dealerId,
      hash: '',
      confirmed: '',
      pieces: [],
    }));
    // Without some of the vehicles, custom pages may fail that a build can make.
    const pages = isComplete ? userFiles.customPages : undefined;
    const custom = await makeCustomPages(pages, { config, plan, theme: userFiles.theme, signal });
    const siteWide = plan.siteWide([...made.summaries.values()], custom);
    await maker.siteWide(plan, siteWide, all);
    const picturesOf = ({ media: all }: Vehicle) =>
      // Only a sample of the pictures is downloaded.
      all.filter(({ kind }) => kind === 'image').map(({ id }) => `${config.site.url}/${id}.jpg`);
    const rows = [...plan.dealers()].flatMap((dealer) => dealer.feedRows(picturesOf));
    const feeds = feedFiles(config, rows);
    for (const { content } of feeds.filter((feed) => feed.public)) {
      files.count++;
      write('', content);
    }
    files.fullestFolder = Math.max(...Array.from(folders.values(), ({ size }) => size));
    return { findings: feedFindings(feeds), files };
  } catch (problem) {
    if (signal?.aborted) throw problem;
    return { findings: [passedOn('pages-wrong', toError(problem))], files: undefined };
  }
}
