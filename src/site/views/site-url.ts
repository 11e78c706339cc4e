/** Address of the site in parts. */
export interface SiteAddress {
  /** Path of `site.url`, without a slash at the end. */
  base: string;
  /** Scheme, host and port of `site.url`. */
  origin: string;
}

export function siteAddress(siteUrl: string): SiteAddress {
  const { origin, pathname } = new URL(siteUrl);
  return { origin, base: pathname.replace(/\/+$/, '') };
}

/** Address, file and absolute address of the page in a folder; `path` has a slash at both ends. */
export function pageAt(
  { base, origin }: SiteAddress,
  path: string,
): { url: string; file: string; canonical: string } {
  return {
    url: `${base}${path}`,
    file: `${path}index.html`,
    canonical: `${origin}${base}${path}`,
  };
}
