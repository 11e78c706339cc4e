import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { listFiles } from '../change-set/listing.ts';
import { temporaryFolder } from '../lib/files/temporary-folder.ts';
import type { CustomPageLink } from '../site/views/footer.ts';
import { type CustomPages, type ProjectOptions, runProject } from './custom-pages.ts';
import type { Collection, CollectionItem } from './eleventy.ts';

/** Whether a custom page may have a link on all pages. */
export async function usesNavigation({ folder, configFile }: CustomPages): Promise<boolean> {
  const files = listFiles(folder).files.map((name) => path.join(folder, name));
  for (const file of configFile ? [...files, configFile] : files) {
    if ((await readFile(file)).includes('eleventyNavigation')) return true;
  }
  return false;
}

type NavigationLink = CustomPageLink & { order: number };

/** The link to a page by the convention of @11ty/eleventy-navigation. Pages with a parent have none. */
function linkTo({ url: address, inputPath, data }: CollectionItem): NavigationLink[] {
  const { eleventyNavigation: entry, lang } = data;
  if (!entry || entry.parent) return [];
  const { key, title = key, order = 0, url = address } = entry;
  // A page that is not written, such as a group of pages.
  if (url === false) return [];
  if (typeof title === 'string' && typeof url === 'string' && typeof order === 'number') {
    return [{ url, text: title, order, lang }];
  }
  throw new Error(
    `eleventyNavigation of ${inputPath} needs a key, which is a text. An order is a number.`,
  );
}

/**
 * The links to custom pages, in their order. Eleventy reads front matter and permalinks. It is stopped before it
 * renders a page, because no vehicles have been fetched yet.
 *
 * @throws {ConfigError} data of a page cannot be read.
 */
export async function readNavigation(
  pages: CustomPages,
  options: ProjectOptions,
): Promise<CustomPageLink[]> {
  let links: NavigationLink[] | undefined;
  await using temporary = await temporaryFolder('navigation-');
  await runProject(pages, options, temporary.path, (eleventyConfig) => {
    let allPages: Collection | undefined;
    eleventyConfig.addCollection('navigation of all pages', (collection) => {
      allPages = collection;
      return [];
    });
    eleventyConfig.on('eleventy.contentMap', () => {
      links = allPages?.getAll().flatMap(linkTo) ?? [];
      throw new Error('All links are known.');
    });
  }).catch((error) => {
    if (!links) throw error;
  });
  return (links ?? []).sort((a, b) => a.order - b.order || (a.url < b.url ? -1 : 1));
}
