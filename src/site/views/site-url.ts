import type { PageLanguage } from './view.ts';

/** A language of the site, with the folder of its pages. */
export interface SiteLanguage {
  /** Language tag, which its pages have as `lang`. */
  lang: string;
  /** Its name in the language itself. */
  name: string;
  /** Folder of its pages, such as `/fr`. Empty for the site's first language. */
  folder: string;
}

/** URL of the site in parts, and of its pages in one language. */
export interface SiteAddress {
  /** Path of the pages of this language, without a slash at the end. */
  base: string;
  /** Path of `site.url`, for files that all languages share. The same as `base` in the first language. */
  root: string;
  /** Scheme, host and port of `site.url`. */
  origin: string;
  /** The folder of `base` below the site. Empty in the first language. */
  folder: string;
  /** Every language of the site, the first one first. Empty if there is only one. */
  languages: readonly SiteLanguage[];
}

export function siteAddress(siteUrl: string): SiteAddress {
  const { origin, pathname } = new URL(siteUrl);
  const root = pathname.replace(/\/+$/, '');
  return { origin, base: root, root, folder: '', languages: [] };
}

/** The same site in one of its languages. */
export const inLanguage = (
  { origin, root }: SiteAddress,
  { folder }: Pick<SiteLanguage, 'folder'>,
  languages: readonly SiteLanguage[],
): SiteAddress => ({ origin, root, base: `${root}${folder}`, folder, languages });

/** URLs and file of a page, and its URLs in every language. @param path with slashes at both ends. */
export function pageAt(
  { base, root, origin, folder, languages }: SiteAddress,
  path: string,
): { url: string; file: string; canonical: string; languages: PageLanguage[] } {
  return {
    url: `${base}${path}`,
    file: `${folder}${path}index.html`,
    canonical: `${origin}${base}${path}`,
    languages: languages.map(({ lang, name, folder: below }) => {
      const url = `${root}${below}${path}`;
      return { lang, name, url, href: `${origin}${url}`, current: below === folder };
    }),
  };
}

/** The same for a page that the site has only in its first language. */
export const onlyAt = ({ origin, root }: SiteAddress, path: string) =>
  pageAt({ origin, root, base: root, folder: '', languages: [] }, path);

/** The same for an embed page. All embed pages are in one folder, which has separate rules in `_headers`. */
export const embedAt = (address: SiteAddress, path: string) =>
  onlyAt(address, `/embed${address.folder}${path}`);

/** Paths of the pages of a list, at least one. @param path of the first page, with slashes at both ends. */
export const listPaths = (path: string, vehicles: number, perPage: number): string[] =>
  Array.from({ length: Math.max(1, Math.ceil(vehicles / perPage)) }, (_, index) =>
    index === 0 ? path : `${path}page/${index + 1}/`,
  );
