/** A language of the site, and the folder of its pages. */
export interface SiteLocale {
  locale: string;
  /** Such as `/fr`; empty for `site.locale`. */
  folder: string;
}

interface Site {
  locale: string;
  locales: readonly string[];
}

const same = (a: string, b: string) =>
  new Intl.Locale(a).toString() === new Intl.Locale(b).toString();

/** Every language of the site, `site.locale` first, which `site.locales` may name again. */
export const localesOf = ({ locale, locales }: Site): [SiteLocale, ...SiteLocale[]] => [
  { locale, folder: '' },
  ...locales
    .filter((other) => !same(other, locale))
    .map((other) => ({ locale: other, folder: `/${new Intl.Locale(other).language}` })),
];

/**
 * What is wrong with `site.locales`. Addresses have the language alone, so that one of a region more
 * would need another address for pages that are there already.
 */
export function checkLocales(site: Site): { path: string; message: string }[] {
  const problems: { path: string; message: string }[] = [];
  const taken = new Map([[new Intl.Locale(site.locale).language, site.locale]]);
  for (const { locale, folder } of localesOf(site).slice(1)) {
    const at = `site.locales[${site.locales.indexOf(locale)}]`;
    const language = folder.slice(1);
    const former = taken.get(language);
    taken.set(language, locale);
    if (former !== undefined) {
      problems.push({
        path: at,
        message: `is the same language as ${former}; a site has each language once`,
      });
    }
  }
  return problems;
}
