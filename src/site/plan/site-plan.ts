import type { LoadedConfig } from '../../config/load.ts';
import { joinSources, type Sources } from '../../config/opened-sources.ts';
import { localesOf, type SiteLocale } from '../../config/site-schema.ts';
import type { RecipeBook } from '../../images/recipe-book.ts';
import { MEDIA } from '../../images/stores/folder.ts';
import { type Control, NO_CONTROL } from '../../stock/control.ts';
import type { DealerStock } from '../../stock/dealer-stock.ts';
import { providersOf } from '../../videos/configured.ts';
import { type CustomPage, customPageView } from '../custom-pages.ts';
import { contentPolicy, PLAYER_ALLOW } from '../documents/policy.ts';
import type { Catalogues } from '../i18n/index.ts';
import { nameOfLanguage, textsFor } from '../i18n/text.ts';
import { type AssetSources, Assets } from '../views/assets.ts';
import { type DealerContext, type SiteContext, VIEW_SETTINGS } from '../views/context.ts';
import {
  type CustomPageLink,
  edgesOf,
  footerOf,
  legalLinks,
  linksBelow,
  siteFooter,
} from '../views/footer.ts';
import { SEARCHED_DEALERS } from '../views/front-view.ts';
import { MediaViews, type PictureFacts } from '../views/media-views.ts';
import { type LegalTexts, SAVED_ADDRESS } from '../views/site-pages.ts';
import { inLanguage, type SiteLanguage, siteAddress } from '../views/site-url.ts';
import type { DealerSummary } from '../views/summaries.ts';
import type { GeneratedFile, PageView, SiteView } from '../views/view.ts';
import { type DealerHead, type DealerPlan, planDealer } from './dealer-plan.ts';
import { keyOf, type PlanPart } from './planned.ts';
import { planSiteWide, type SiteViews, viewsOf } from './site-wide-plan.ts';

export interface SitePlanOptions {
  config: LoadedConfig;
  stock: readonly DealerStock[];
  book: RecipeBook;
  pictures: PictureFacts;
  control?: Control;
  legal?: LegalTexts;
  /** Links to custom pages, below the URL of the site. */
  navigation?: readonly CustomPageLink[];
  /** Whether the theme has a custom front page. */
  ownFront?: boolean;
  assets: AssetSources;
  /** Words of every language. Default: the built-in ones. */
  languages?: Catalogues;
  /** Hash of this program. It is part of all keys, because all results depend on the program. */
  programKey: string;
  /** Hash of all templates. */
  templatesKey: string;
  /** Stored results of an earlier build for a dealer. */
  headOf?: (dealerId: number) => DealerHead | undefined;
}

export interface SitePlan {
  /** The data of every template, in the first language. */
  site: SiteView;
  /** The same in every language, the first one first. */
  sites: readonly SiteView[];
  /**
   * Plans one dealer after the other, so that only the views of one are in memory. Dealers without a usable
   * response are left out.
   */
  dealers(): Iterable<DealerPlan>;
  /** The view models of all dealers and vehicles. All of them are in memory at once. */
  views(): SiteViews;
  /** The view of a custom page. @throws {Error} the site does not have its language or its dealer. */
  customPage(page: CustomPage): PageView;
  /** Pages and files about all dealers, the files of custom pages, and public feeds. */
  siteWide(
    dealers: readonly DealerSummary[],
    custom?: readonly GeneratedFile[],
    feeds?: readonly GeneratedFile[],
  ): PlanPart;
}

/** Hash of the input that the views of all vehicles share. */
function siteViewKey(
  { config, book, programKey, assets }: SitePlanOptions,
  context: Omit<SiteContext, 'renderKey' | 'layoutKey'>,
): string {
  const { place, texts, frontIsList, hasOneDealer, hasHubs, frame } = context;
  const { videos, service } = config;
  // Without the numbers that depend on the machine.
  const { downloads: _, encoders: __, ...media } = config.media;
  return keyOf(
    VIEW_SETTINGS.map((name) => config.site[name]),
    [programKey, place, texts.lang, texts.words, frontIsList, hasOneDealer, hasHubs, frame],
    [...assets.scripts],
    // With the URL of the service, because the player of the sample service is a provider only there.
    [media, book, videos, service.baseUrl],
  );
}

function dealerContext(
  { dealer, list }: DealerStock,
  site: SiteContext,
  siteKey: string,
): DealerContext {
  const facts = list?.facts;
  const { currency, mileageUnit, prices = 0 } = facts ?? {};
  const { apiKey: _, stock: __, ...settings } = dealer;
  // Links lead to the canonical URL of the list.
  const url = `${site.place.base}/${site.frontIsList ? '' : `${dealer.slug}/`}`;
  const css = dealer.colour ? site.assets.styles(dealer.colour) : site.frame.css;
  const logo = dealer.logo ? site.assets.logo(dealer) : undefined;
  const icon = site.assets.icon(dealer);
  const home = site.frontIsList ? undefined : `${site.place.base}/`;
  const vehicles = { url, text: site.texts.words.allVehicles };
  return {
    ...site,
    dealer,
    link: { id: dealer.id, slug: dealer.slug, name: dealer.name, url },
    facts,
    frame: {
      ...site.frame,
      css,
      icon,
      ...edgesOf({ name: dealer.name, url, logo, vehicles }, footerOf(dealer, site, home), site),
    },
    viewKey: keyOf(siteKey, settings, css, icon, logo, currency, mileageUnit, prices > 0),
  };
}

/** The shared input of all pages in one language. */
function contextIn(
  { locale, folder }: SiteLocale,
  options: SitePlanOptions,
  { assets, languages }: { assets: Assets; languages: readonly SiteLanguage[] },
): { site: SiteView; context: SiteContext; contexts: DealerContext[] } {
  const { config, stock, book, pictures, control = NO_CONTROL } = options;
  const { title, timeZone, favourites } = config.site;
  const place = inLanguage(siteAddress(config.site.url), { folder }, languages);
  const texts = textsFor(locale, timeZone, options.languages);
  const views = new MediaViews({
    place,
    book,
    pictures,
    texts,
    providers: providersOf(config),
    hidesPlates: config.site.plates === 'hide',
  });
  const site: SiteView = {
    title,
    lang: texts.lang,
    ogLocale: texts.lang.replace('-', '_'),
    home: `${place.base}/`,
    media: `${place.root}/${MEDIA}`,
    words: texts.words,
    assets: assets.themeUrls(),
    saved: favourites ? `${place.base}${SAVED_ADDRESS}` : '',
    playerAllow: PLAYER_ALLOW,
  };
  const fonts = assets.hasFonts();
  const policy = (origins: readonly string[], more: Sources = {}) =>
    contentPolicy(origins, { fonts, opened: joinSources(config.site.policy, more) });
  const renderKey = keyOf(options.programKey, options.templatesKey, site);
  const legal = legalLinks(config.site.legal, place);
  const navigation = linksBelow(place, options.navigation ?? [], texts.lang);
  const hasOneDealer = config.dealers.length === 1;
  const onlyDealer = hasOneDealer ? config.dealers[0] : undefined;
  const frontIsList = hasOneDealer && !options.ownFront;
  const layoutKeys = new Map<string, string>();
  const context: SiteContext = {
    ...config.site,
    place,
    texts,
    views,
    control,
    feeds: config.feeds,
    assets,
    frame: {
      lang: texts.lang,
      languages: [],
      noindex: false,
      policy: policy([]),
      css: assets.styles(config.site.colour ?? onlyDealer?.colour),
      fonts: assets.fonts(texts.words),
      icon: assets.icon(),
      manifest: assets.manifest(title),
      ...edgesOf(
        { name: title, url: site.home, logo: assets.logo(), vehicles: undefined },
        siteFooter(
          title,
          { texts, timeZone, legal, navigation },
          // If the site is the list of a dealer, all its pages show how to reach it.
          frontIsList ? onlyDealer : undefined,
        ),
        { assets, favourites },
      ),
      alternates: [],
      share: undefined,
      jsonLd: '',
    },
    policy,
    frontIsList,
    hasOneDealer,
    hasHubs: !hasOneDealer && config.dealers.length <= SEARCHED_DEALERS,
    legal,
    navigation,
    renderKey,
    layoutKey: (layout) => {
      const key = layoutKeys.get(layout) ?? keyOf(renderKey, layout).slice(0, 11);
      layoutKeys.set(layout, key);
      return key;
    },
  };
  const siteKey = siteViewKey(options, context);
  const contexts = stock.map((dealerStock) => dealerContext(dealerStock, context, siteKey));
  return { site, context, contexts };
}

/**
 * Plans every page and file of a site, each with the key of its input and a function that makes it. Pure: the
 * same input gives the same plan, at any time and with any caches.
 */
export function planSite(options: SitePlanOptions): SitePlan {
  const { config, stock, legal, headOf } = options;
  const { root } = siteAddress(config.site.url);
  const assets = new Assets(root, options.assets);
  const locales = localesOf(config.site);
  // Names of languages take 3 ms, and one language needs none.
  const languages = (locales.length > 1 ? locales : []).map(({ locale, folder }) => {
    const { lang } = textsFor(locale, config.site.timeZone, options.languages);
    return { lang, name: nameOfLanguage(lang), folder };
  });
  const inLocale = (locale: SiteLocale) => contextIn(locale, options, { assets, languages });
  const [first, ...others] = [inLocale(locales[0]), ...locales.slice(1).map(inLocale)] as const;
  const all = [first, ...others] as const;
  const { site, context, contexts } = first;
  const translated = others.map((other) => other.context);
  function* dealers(): Iterable<DealerPlan> {
    for (const [index, dealerStock] of stock.entries()) {
      const dealer = contexts[index];
      if (dealerStock.source === 'none' || !dealer) continue;
      const further = others.flatMap((other) => other.contexts[index] ?? []);
      yield planDealer(dealerStock, [dealer, ...further], headOf?.(dealerStock.dealer.id));
    }
  }
  return {
    site,
    sites: all.map((language) => language.site),
    dealers,
    views: () => viewsOf(site, [...dealers()]),
    customPage: (page) => customPageView(page, all),
    siteWide: (summaries, custom = [], feeds = []) =>
      planSiteWide({ config, legal, context, custom, feeds, translated }, summaries),
  };
}
