import type { ConfigProblem } from './environment.ts';
import { checkFeeds } from './feed-schema.ts';
import type { Config, ParsedConfig } from './schema.ts';
import { LEGAL_PAGES, localesOf, SAVED_PAGE } from './site-schema.ts';

/**
 * Problems of `site.locales`. URLs contain only the language, so a second region of
 * a language would need the URLs of the first.
 */
function checkLocales(site: Config['site']): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const localeByLanguage = new Map([[new Intl.Locale(site.locale).language, site.locale]]);
  for (const { locale, folder } of localesOf(site).slice(1)) {
    const path = `site.locales[${site.locales.indexOf(locale)}]`;
    const language = folder.slice(1);
    const previous = localeByLanguage.get(language);
    localeByLanguage.set(language, locale);
    const message = `repeats the language of ${previous} (a site has each language once)`;
    if (previous !== undefined) problems.push({ path, message });
  }
  return problems;
}

/** Top-level names that settings add to the site, with their content. See `RESERVED_DEALER_SLUGS`. */
function addedAddresses({ site, feeds }: Pick<Config, 'site' | 'feeds'>): Map<string, string> {
  const addresses = new Map<string, string>();
  for (const page of LEGAL_PAGES) {
    if (site.legal[page] !== undefined) addresses.set(page, `the page of site.legal.${page}`);
  }
  if (site.favourites) addresses.set(SAVED_PAGE, 'the page of saved vehicles (site.favourites)');
  if (feeds.some((feed) => feed.public)) addresses.set('feeds', 'the public files of feeds');
  for (const { locale, folder } of localesOf(site).slice(1)) {
    const setting = `site.locales[${site.locales.indexOf(locale)}]`;
    addresses.set(folder.slice(1), `the pages in ${locale} (${setting})`);
  }
  return addresses;
}

type Entries = readonly Readonly<Record<string, unknown>>[];

/** Entries of a list with the value of an earlier entry. */
function repeats(list: Entries, name: string, key: string): ConfigProblem[] {
  const values = list.map((entry) => entry[key]);
  return values.flatMap((value, index) => {
    const first = values.indexOf(value);
    const message = `is the same as ${name}[${first}].${key} (each must be different)`;
    return value === undefined || first === index
      ? []
      : { path: `${name}[${index}].${key}`, message };
  });
}

/** Dealers and accounts that need another id, slug or name. Also for a configuration with other problems. */
export const repeatedNames = (lists: Record<'dealers' | 'accounts', Entries>): ConfigProblem[] => [
  ...repeats(lists.dealers, 'dealers', 'id'),
  ...repeats(lists.dealers, 'dealers', 'slug'),
  ...repeats(lists.accounts, 'accounts', 'name'),
];

/** Checks that need more than one field. */
export function crossCheck({ site, ...config }: ParsedConfig): ConfigProblem[] {
  const findings = repeatedNames(config);
  // The batches of a copied line would count twice.
  const ids = config.accounts.map((one) => ({ customerId: `${one.customerId}/${one.pathId}` }));
  findings.push(...repeats(ids, 'accounts', 'customerId'));
  for (const [index, { stock }] of config.dealers.entries()) {
    if (stock?.credentialsEnv === undefined || /^https?:/i.test(stock.file)) continue;
    findings.push({
      path: `dealers[${index}].stock.credentialsEnv`,
      message: 'has no effect on a file. Only addresses need credentials',
    });
  }
  if (!site) return findings;
  for (const [address, what] of addedAddresses({ site, feeds: config.feeds })) {
    const index = config.dealers.findIndex(({ slug }) => slug === address);
    if (index < 0) continue;
    findings.push({
      path: `dealers[${index}].slug`,
      message: `is the address of ${what}. Change the dealer's`,
    });
  }
  findings.push(...checkLocales(site), ...checkFeeds(config.feeds, site.plates === 'hide'));
  return findings;
}
