import { exceptionsOf, type OpenTime, weekOf } from '../../config/opening-hours.ts';
import type { DealerConfig } from '../../config/schema.ts';
import { LEGAL_PAGES, type LegalPage } from '../../config/site-schema.ts';
import { capitalized, type Texts } from '../i18n/text.ts';
import type { Assets } from './assets.ts';
import { contactsOf } from './contacts.ts';
import type { SiteAddress } from './site-url.ts';
import type { FooterView, Masthead } from './view.ts';

/** A Monday, from which the names of the days of the week are formatted. */
const MONDAY = Date.UTC(2024, 0, 1);
const DAY = 86_400_000;

/** Countries in which the postal code follows the town. */
const TOWN_FIRST = ['AU', 'CA', 'GB', 'IE', 'US'];

/** A dealer, or only the name of the site. */
type Dealer = Pick<DealerConfig, 'name'> & Partial<DealerConfig>;

/** A page of `site.legal`. */
export type LegalLink = { page: LegalPage; url: string };

/** A link to a custom page, or to the URL in its front matter. With a language, it is only on pages in it. */
export type CustomPageLink = FooterView['pages'][number] & { lang?: string };

/** The pages of `site.legal`. */
export const legalLinks = (
  files: Readonly<Partial<Record<LegalPage, string | undefined>>>,
  { root }: SiteAddress,
): LegalLink[] =>
  LEGAL_PAGES.flatMap((page) => (files[page] ? [{ page, url: `${root}/${page}/` }] : []));

const languageOf = (tag: string): string | undefined => String(tag).toLowerCase().split(/[-_]/)[0];

/** Whether two language tags, such as `de` and `de-CH`, name the same language. A site has each language once. */
export const isSameLanguage = (a: string, b: string): boolean => languageOf(a) === languageOf(b);

/** Links to custom pages, for pages in a language. Links with a leading slash are below the root of the site. */
export const linksBelow = (
  { root }: SiteAddress,
  links: readonly CustomPageLink[],
  language: string,
): FooterView['pages'] =>
  links
    .filter(({ lang }) => !lang || isSameLanguage(lang, language))
    .map(({ url, text }) => ({ url: url.startsWith('/') ? root + url : url, text }));

/** Lines of a postal address, in the order of its country. */
function addressLines(address: Dealer['address']): string[] {
  if (!address) return [];
  const { street, postalCode, city, region, country } = address;
  const town = TOWN_FIRST.includes(country)
    ? [city, region, postalCode].filter(Boolean).join(', ')
    : [postalCode, city].filter(Boolean).join(' ');
  return [street, town];
}

/** A dealer with its town, for titles and descriptions of pages. */
export function nameWithTown({ name, address }: Dealer): string {
  const town = address?.city ?? '';
  const isNamed = name.toLowerCase().includes(town.toLowerCase());
  return isNamed ? name : `${name}, ${town}`;
}

/** The dealer with its town for a card. Empty if the site has one dealer. */
export const sellerOf = ({ dealer, hasOneDealer }: { dealer: Dealer; hasOneDealer: boolean }) =>
  hasOneDealer ? '' : nameWithTown(dealer);

/** URL of a map search that works on every device. Pages only link to it. */
export function mapOf({ name, address, coordinates }: Dealer): string {
  const place = coordinates
    ? `${coordinates.latitude},${coordinates.longitude}`
    : address && [name, ...addressLines(address), address.country].join(', ');
  return place === undefined
    ? ''
    : `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(place)}`;
}

function timesText(times: readonly OpenTime[], { words, time }: Texts): string {
  if (times.length === 0) return words.closed;
  return times.map(([from, to]) => `${time(from)} – ${time(to)}`).join(', ');
}

/** Opening hours as rows. Successive days with the same hours share a row. */
function hoursOf(hours: NonNullable<Dealer['openingHours']>, texts: Texts): FooterView['hours'] {
  const rows: { first: number; last: number; times: string }[] = [];
  for (const [day, times] of weekOf(hours).entries()) {
    const text = timesText(times, texts);
    const previous = rows.at(-1);
    if (previous?.times === text) previous.last = day;
    else rows.push({ first: day, last: day, times: text });
  }
  const name = (day: number) => texts.weekday(MONDAY + day * DAY);
  const week = rows.map(({ first, last, times }) => ({
    days: capitalized(first === last ? name(first) : `${name(first)} – ${name(last)}`),
    times,
    date: '',
  }));
  const exceptions = exceptionsOf(hours).map(([date, times]) => ({
    days: capitalized(texts.day(date)),
    times: timesText(times, texts),
    date,
  }));
  return [...week, ...exceptions];
}

interface FooterInput {
  texts: Texts;
  /** Time zone of dealers without a separate one. */
  timeZone: string;
  /** Pages of `site.legal`, for dealers without a separate URL. */
  legal: readonly LegalLink[];
  navigation: readonly CustomPageLink[];
}

/**
 * The footer of a dealer's pages. It depends only on this dealer, so that an added or removed dealer does not change
 * the pages of others. Visitors find other dealers by the link to the front page.
 *
 * @param home URL of the front page, if the site has several dealers.
 */
export function footerOf(
  dealer: Dealer,
  { texts, timeZone, legal, navigation }: FooterInput,
  home?: string,
): FooterView {
  const { openingHours } = dealer;
  const { words, fill } = texts;
  return {
    name: dealer.name,
    legalName: dealer.legalName === dealer.name ? '' : (dealer.legalName ?? ''),
    address: addressLines(dealer.address),
    map: mapOf(dealer),
    hours: openingHours ? hoursOf(openingHours, texts) : [],
    now: openingHours
      ? JSON.stringify({
          zone: dealer.timeZone ?? timeZone,
          lang: texts.lang,
          week: weekOf(openingHours),
          days: Object.fromEntries(exceptionsOf(openingHours)),
        })
      : '',
    contacts: contactsOf(dealer, texts),
    contactLabel: fill(words.contact, { dealer: dealer.name }),
    home: home === undefined ? undefined : { url: home, text: words.allDealers },
    pages: [...navigation],
    legal: LEGAL_PAGES.flatMap((page) => {
      const url = dealer[page] ?? legal.find((link) => link.page === page)?.url;
      return url === undefined ? [] : [{ url, text: words[page] }];
    }),
  };
}

/**
 * The footer of pages without a dealer: of the `only` dealer, otherwise with the links of the site. Undefined if it
 * would be empty.
 */
export const siteFooter = (name: string, shared: FooterInput, only?: Dealer) =>
  only || shared.legal.length + shared.navigation.length > 0
    ? footerOf(only ?? { name }, shared)
    : undefined;

/** The header and the footer of pages, and the scripts for them. */
export const edgesOf = (
  head: Pick<Masthead, 'name' | 'url' | 'logo' | 'vehicles'>,
  footer: FooterView | undefined,
  { assets, favourites }: { assets: Assets; favourites: boolean },
) => ({
  masthead: {
    ...head,
    // A wide logo replaces the name.
    showsName: !head.logo?.wide,
    phone: footer?.contacts.find(({ kind }) => kind === 'phone'),
  },
  footer,
  scripts: [
    ...(footer?.hours.length ? [assets.script('hours.js')] : []),
    ...(favourites ? [assets.script('saved.js')] : []),
  ],
});
