import { type SiteSize, sizeOf } from '../../config/hosts.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { openedSources } from '../../config/opened-sources.ts';
import { SecretSearch, secretsOf } from '../../config/secret-search.ts';
import type { MediaResult } from '../../images/pipeline/types.ts';
import { PageMaker } from '../../publish/build/pages.ts';
import { planOf, withNavigation } from '../../publish/build/prepare.ts';
import { checkDealers, outcomeOf } from '../../publish/gates/gates.ts';
import { toError } from '../../publish/outcome/to-error.ts';
import { refuseFindings, verifyFiles } from '../../publish/verify/verify.ts';
import { makeCustomPages } from '../../render/custom-pages.ts';
import { readUserFiles, type UserFiles } from '../../render/user-files.ts';
import { hasWords, LANGUAGES } from '../../site/i18n/index.ts';
import { isLanguage } from '../../site/i18n/theme-words.ts';
import { feedFiles, feedText } from '../../site/vehicle-feeds/feed.ts';
import type { DealerStock } from '../../stock/dealer-stock.ts';
import type { DealerList } from '../../stock/list.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import { type Check, type Finding, finding, passedOn } from '../findings.ts';
import type { ServiceCheck } from './service.ts';

/** Warns if pages are in English because there are no texts for the locale. */
function* checkTexts({ site }: LoadedConfig, { theme }: UserFiles): Iterable<Finding> {
  const { locale } = site;
  if (hasWords(locale, theme.languages)) return;
  const { language } = new Intl.Locale(locale);
  const isKnown = isLanguage(language);
  const languages = Object.keys(LANGUAGES);
  const what = `There are no texts for site.locale "${locale}": pages will be in English, with English dates and numbers.`;
  const why = `Texts are included for ${languages.join(', ')}.`;
  const fix = isKnown
    ? `Put all texts under "${language}" into theme/words.json (docs/theming.md#words), or choose another site.locale.`
    : `Choose another site.locale: the plural forms of "${language}" are unknown.`;
  const args = { locale, language, known: isKnown, there: languages };
  yield finding('words-missing', args, what, { why, fix });
}

/** Reads theme, texts and logos as a build does. Reports all problems. */
export async function* checkUserFiles(config: LoadedConfig): Check<UserFiles | undefined> {
  const problems: unknown[] = [];
  const userFiles = await readUserFiles(config, undefined, problems).catch(() => undefined);
  for (const problem of problems) yield passedOn('files-wrong', toError(problem));
  if (!userFiles) return undefined;
  yield* checkTexts(config, userFiles);
  for (const { id, name } of config.dealers) {
    const ground = userFiles.assets.logos.get(id)?.ground;
    if (ground) {
      const pages = ground === 'light' ? 'dark' : 'light';
      const what = `${name}: the logo is hard to see on ${pages} pages. They show it on a ${ground} background.`;
      yield finding('logo-on-plate', { dealer: name, ground }, what);
    }
  }
  return userFiles;
}

interface PagesOptions extends Pick<ServiceCheck, 'vehicles' | 'answered'> {
  /** Usable stock lists by dealer. */
  lists: ReadonlyMap<number, DealerList>;
  /** The sample of pictures. */
  media: Pick<MediaResult, 'contentOf' | 'outputs'>;
  signal?: AbortSignal;
}

/** Plate of a withdrawn example vehicle. It is not added if the site has a vehicle with this plate. */
const WITHDRAWN = 'GONE4EVER';

/** The stock of a build, with a withdrawn vehicle for each dealer, so that its page is also checked. */
function stockOf(config: LoadedConfig, { vehicles, answered, lists }: PagesOptions): DealerStock[] {
  const takenAt = new Date().toISOString();
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

/** Size of a card for shared links, because the doctor draws no cards. Measured: 63 to 64 kB on average. */
const CARD_BYTES = 64_000;

/** Record files. A dealer has a record and a list of files. The site has a list of the other files, and times. */
const RECORD_FILES = { dealer: 2, site: 2 };

/**
 * Makes all pages as a build does, without writing them, and counts all files. This finds problems of templates,
 * custom pages and style sheets before they stop a build.
 *
 * @returns the size of the site without thumbnails. Undefined if it is not known.
 */
export async function* checkPages(
  config: LoadedConfig,
  userFiles: UserFiles,
  options: PagesOptions,
): Check<SiteSize | undefined> {
  const { vehicles, answered, media, signal } = options;
  const stock = stockOf(config, options);
  const isComplete = answered.size === config.dealers.length;
  const sizes = new Map<string, number>();
  const add = (file: string, bytes: number) => {
    if (!file.includes(`/${WITHDRAWN.toLowerCase()}/`)) sizes.set(file, bytes);
  };
  /** The last files that are made, which contain the user's pages. */
  let siteWideFiles: Map<string, Buffer> | undefined;
  const write = (file: string, content: string | Uint8Array) => {
    add(file, Buffer.byteLength(content));
    siteWideFiles?.set(file.slice(1), Buffer.from(content));
  };
  const mustMake = ({ file }: { file: string }) => {
    if (/\/(?:card|front)\.jpg$/.test(file)) add(file, CARD_BYTES);
    return true;
  };
  try {
    if (isComplete) {
      checkDealers(
        stock.map((dealer) => outcomeOf(dealer)),
        { complete: true },
      );
    }
    const linked = await withNavigation(config, userFiles, { signal });
    const plan = planOf(config, stock, linked, media);
    if (vehicles.length === 0) return undefined;
    const maker = new PageMaker({
      theme: userFiles.theme,
      write,
      siteUrl: config.site.url,
      signal,
    });
    const diff = { mustMake, makeAgain: () => {}, mustMakeRecord: () => false };
    const result = await maker.dealers(plan, diff, ({ dealerId }) => ({
      id: dealerId,
      hash: '',
      confirmed: '',
      pieces: [],
    }));
    // If vehicles are missing, custom pages may fail here although a build could make them.
    const pages = isComplete ? userFiles.customPages : undefined;
    const custom = await makeCustomPages(pages, { config, plan, theme: userFiles.theme, signal });
    const siteWide = plan.siteWide([...result.summaries.values()], custom);
    siteWideFiles = new Map();
    const { fromService } = await maker.siteWide(plan, siteWide, diff);
    const picturesOf = ({ media }: Vehicle) =>
      // Only a sample of the pictures is downloaded.
      media.filter(({ kind }) => kind === 'image').map(({ id }) => `${config.site.url}/${id}.jpg`);
    const rows = [...plan.dealers()].flatMap((dealer) => dealer.feedRows(picturesOf));
    const feeds = feedFiles(config, rows);
    for (const { content, ...feed } of feeds) {
      if (feed.public) write(feed.file, content);
      const code = Object.keys(feed.missing).length === 0 ? 'feed-complete' : 'feed-incomplete';
      yield finding(code, feed, `${feedText(feed)}.`);
    }
    if (isComplete) {
      const verified = await verifyFiles({
        read: (file) => siteWideFiles?.get(file) ?? Buffer.of(),
        siteUrl: config.site.url,
        opened: openedSources(config),
        search: SecretSearch.of(secretsOf(config)),
        // A build may allow their names in texts of the service.
        mentionsFields: true,
        newKeys: new Map(),
        unlisted: siteWideFiles.keys(),
        unchangedRows: new Map(),
        outputs: media.outputs,
        fromService,
        signal,
      });
      refuseFindings([verified], (file) => sizes.has(`/${file}`));
    }
    const size = sizeOf(Array.from(sizes, ([path, size]) => ({ path, size })));
    size.files += RECORD_FILES.dealer * answered.size + RECORD_FILES.site;
    return size;
  } catch (problem) {
    if (signal?.aborted) throw problem;
    yield passedOn('pages-wrong', toError(problem));
    return undefined;
  }
}
