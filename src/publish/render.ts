import { copyFile, link, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pMap from 'p-map';
import type { SiteFile, SiteModel } from '../site/view.ts';
import { loadEleventy } from './eleventy.ts';
import { offerModel } from './handover.ts';
import { renderError } from './theme/failure.ts';
import type { Theme } from './theme/theme.ts';

/**
 * Renders all pages of a model into a folder, through `.eleventy.ts`.
 *
 * @throws a template's error, with file and line where they are known.
 */
export async function renderPages(model: SiteModel, theme: Theme, folder: string): Promise<void> {
  const Eleventy = await loadEleventy();
  offerModel({ model, theme });
  const eleventy = new Eleventy('templates', folder, {
    configPath: '.eleventy.ts',
    quietMode: true,
  });
  // Two switches: benchmarks of slow machines are printed by a logger of their own.
  eleventy.setIsVerbose(false);
  eleventy.disableLogger();
  try {
    await eleventy.write();
  } catch (cause) {
    throw renderError(cause, theme.folder);
  }
}

/** Writes what is not rendered from a template; each file is made when its turn comes. */
export async function writeFiles(files: Iterable<SiteFile>, folder: string): Promise<void> {
  await pMap(
    files,
    async ({ file, content }) => {
      const target = path.join(folder, file);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, content);
    },
    { concurrency: 16 },
  );
}

/**
 * Puts the thumbnails that pages use beside the pages. A hard link costs no bytes; where the file
 * system has none (or cache and output are on two), the file is copied.
 */
export async function placeThumbnails(
  names: ReadonlySet<string>,
  store: string,
  folder: string,
): Promise<void> {
  const target = path.join(folder, 'media');
  for (const shard of new Set([...names].map((name) => name.slice(0, 2)))) {
    await mkdir(path.join(target, shard), { recursive: true });
  }
  await pMap(
    names,
    async (name) => {
      const from = path.join(store, name);
      const to = path.join(target, name);
      await link(from, to).catch(() => copyFile(from, to));
    },
    { concurrency: 16 },
  );
}
