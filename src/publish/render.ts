import { copyFile, link, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pMap from 'p-map';
import { AppError } from '../errors.ts';
import type { SiteFile, SiteModel } from '../site/view.ts';
import { loadEleventy } from './eleventy.ts';
import { offerModel } from './handover.ts';

/** Renders all pages of a model into a folder, through `.eleventy.ts`. */
export async function renderPages(model: SiteModel, folder: string): Promise<void> {
  const Eleventy = await loadEleventy();
  offerModel({ model });
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
    const reason = cause instanceof Error ? innermost(cause).message : String(cause);
    throw new AppError({
      code: 'render-failed',
      what: 'The pages could not be rendered.',
      why: reason,
      fix: 'Check the templates that were changed last; --debug shows where.',
      cause,
    });
  }
}

function innermost(error: Error): Error {
  const inner = (error as { originalError?: unknown }).originalError ?? error.cause;
  return inner instanceof Error ? innermost(inner) : error;
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
