import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { PlannedFile } from '../site/plan/planned.ts';
import { loadEleventy } from './eleventy.ts';
import { offerPages, type Prepared } from './handover.ts';
import { renderError } from './theme/failure.ts';
import type { Theme } from './theme/theme.ts';

/**
 * Renders pages into a folder, through `.eleventy.ts`.
 *
 * @throws a template's error, with file and line where they are known.
 */
export async function renderPages(
  prepared: Pick<Prepared, 'site' | 'pages'> & { theme: Theme },
  folder: string,
): Promise<void> {
  const Eleventy = await loadEleventy();
  offerPages(prepared);
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
    throw renderError(cause, prepared.theme.folder);
  }
}

/** Writes what is not rendered from a template. */
export function writeFiles(files: Iterable<PlannedFile>, folder: string): void {
  for (const { file, content } of files) {
    const target = path.join(folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, content());
  }
}
