/** A language of the site, and the folder of its pages. */
export interface SiteLocale {
  locale: string;
  /** Such as `/fr`. Empty for `site.locale`. */
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
