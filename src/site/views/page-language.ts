/** A page in one language of the site. */
export interface PageLanguage {
  /** Language tag. */
  lang: string;
  /** What the language calls itself. */
  name: string;
  /** Address of the page in it; `href` is absolute. */
  url: string;
  href: string;
  /** Whether it is this page. */
  current: boolean;
}
