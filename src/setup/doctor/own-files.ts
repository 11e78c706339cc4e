import type { LoadedConfig } from '../../config/load.ts';
import type { MediaResult } from '../../images/line/types.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { PageMaker } from '../../publish/build/pages.ts';
import { planOf } from '../../publish/build/prepare.ts';
import { checkDealers, outcomeOf } from '../../publish/gates/gates.ts';
import { toError } from '../../publish/outcome/to-error.ts';
import { makeCustomPages } from '../../render/custom-pages.ts';
import { type OwnFiles, readOwnFiles } from '../../render/own-files.ts';
import { hasWords, LANGUAGES } from '../../site/i18n/index.ts';
import { isLanguage } from '../../site/i18n/theme-words.ts';
import type { DealerStock } from '../../stock/load.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import { type Finding, finding, passedOn } from '../findings.ts';

/** What is said where there are no words for a locale, if pages had these languages. */
export function checkWords(locale: string, languages: OwnFiles['theme']['languages']): Finding[] {
  if (hasWords(locale, languages)) return [];
  const { language } = new Intl.Locale(locale);
  const known = isLanguage(language);
  const there = Object.keys(LANGUAGES);
  return [
    finding(
      'words-missing',
      { locale, language, known, there },
      `There are no words for site.locale "${locale}": pages will be in English, their dates and numbers too.`,
      {
        why: `Words come with this program for ${there.join(' and ')}.`,
        fix: known
          ? `Put all words under "${language}" into theme/words.json (docs/theming.md#words), or choose another site.locale.`
          : `Choose another site.locale: the plural forms of "${language}" are not known.`,
      },
    ),
  ];
}

/**
 * Reads theme, words, logos and stock lists as a build does, and tells everything that
 * would stop one.
 */
export async function checkOwnFiles(
  config: LoadedConfig,
  signal: AbortSignal | undefined,
): Promise<{ findings: Finding[]; own: OwnFiles | undefined }> {
  const findings: Finding[] = [];
  const own = await readOwnFiles(config, {
    signal,
    onProblem: (problem) => findings.push(passedOn('files-wrong', toError(problem))),
  });
  if (!own) return { findings, own };
  findings.push(...checkWords(config.site.locale, own.theme.languages));
  for (const { id, name } of config.dealers) {
    const { rows, problems } = own.facts.get(id) ?? { rows: 0, problems: [] };
    const [first] = problems;
    if (first === undefined) continue;
    const count = problems.length;
    findings.push(
      finding(
        'stock-rows',
        { dealer: name, rows, count, first },
        `${name}: ${countText(count, 'fault')} in the ${countText(rows, 'row')} of its stock list; the first in ${first}.`,
      ),
    );
  }
  return { findings, own };
}

interface PagesOptions {
  config: LoadedConfig;
  own: OwnFiles;
  vehicles: readonly Vehicle[];
  /** Ids of the dealers whose answer can be used. */
  answered: ReadonlySet<number>;
  /** What the sample of pictures became. */
  media: Pick<MediaResult, 'contentOf' | 'outputs'>;
  /** Folder that goes when the check ends. */
  folder: string;
  now: number;
  signal?: AbortSignal | undefined;
}

/** No vehicle of this name is likely; where there is one, its page of the withdrawn is not looked at. */
const GONE = 'GONE4EVER';

/** The answers as a build has them, with a withdrawn vehicle, so that its page is looked at too. */
function stockOf({ config, vehicles, answered, now }: PagesOptions): DealerStock[] {
  const takenAt = new Date(now).toISOString();
  const byDealer = Map.groupBy(vehicles, ({ dealerId }) => dealerId);
  return config.dealers.map((dealer) => {
    const list = byDealer.get(dealer.id) ?? [];
    const isShown = list.some(({ vrm }) => vrm.replaceAll(' ', '').toUpperCase() === GONE);
    return {
      dealer,
      source: answered.has(dealer.id) ? 'live' : 'none',
      vehicles: list,
      withdrawn: list.length > 0 && !isShown ? [{ vrm: GONE, since: takenAt }] : [],
      takenAt,
      notes: [],
    };
  });
}

/**
 * Makes all pages as a build does, and throws them away: so a name that no template knows, a custom
 * page or a picture that a style sheet lacks is found before a build stops for it.
 */
export async function checkPages(options: PagesOptions): Promise<Finding[]> {
  const { config, own, vehicles, answered, media, signal } = options;
  const stock = stockOf(options);
  const isWhole = answered.size === config.dealers.length;
  try {
    if (isWhole) {
      checkDealers(
        stock.map((one) => outcomeOf(one)),
        { complete: true },
      );
    }
    const plan = await planOf(config, stock, { ...own, media }, undefined, own.assets);
    if (vehicles.length === 0) return [];
    const { url: siteUrl } = config.site;
    const maker = new PageMaker({ theme: own.theme, write: () => {}, siteUrl, signal });
    const all = { mustMake: () => true, mustMakeRecord: () => false };
    const made = await maker.dealers(plan, all, ({ dealerId }) => ({
      id: dealerId,
      hash: '',
      confirmed: '',
      pieces: [],
    }));
    // Without some of the vehicles, custom pages may fail that a build can make.
    const pages = isWhole ? own.customPages : undefined;
    const custom = await makeCustomPages(pages, { config, plan, theme: own.theme, signal });
    const summaries = made.summaries.map(([, summary]) => summary);
    await maker.siteWide(plan, plan.siteWide(summaries, custom), all);
    return [];
  } catch (problem) {
    if (signal?.aborted) throw problem;
    return [passedOn('pages-wrong', toError(problem))];
  }
}
