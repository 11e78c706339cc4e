import { SitemapStream, streamToPromise } from 'sitemap';

/**
 * `sitemap.xml` of absolute addresses. Dates are those of the data, so that they are true and the
 * file is the same whenever it is made.
 */
export async function sitemapXml(
  entries: readonly { url: string; lastmod: string | undefined }[],
): Promise<string> {
  const stream = new SitemapStream({
    xmlns: { news: false, xhtml: false, image: false, video: false },
  });
  for (const { url, lastmod } of entries) stream.write({ url, ...(lastmod && { lastmod }) });
  stream.end();
  return (await streamToPromise(stream)).toString('utf8');
}
