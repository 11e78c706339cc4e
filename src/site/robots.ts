/** `robots.txt`: everything may be read; the sitemap is named by its absolute address. */
export function robotsTxt(home: string): string {
  return `User-agent: *\nAllow: /\n\nSitemap: ${home}sitemap.xml\n`;
}
