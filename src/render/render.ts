import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { PlannedFile, PlannedPage } from '../site/plan/planned.ts';
import type { SiteView } from '../site/views/view.ts';
import { givePages } from './eleventy/bridge.ts';
import { eleventyPath, loadEleventy, SITE_CONFIG } from './eleventy/eleventy.ts';
import { pageRenderer } from './page-renderer.ts';
import type { Theme } from './theme/theme.ts';

/** Renders pages. @throws a template's error, with file and line where they are known. */
export type Renderer = (pages: readonly PlannedPage[]) => Promise<void>;

/**
 * A renderer through `.eleventy.ts`. It loads Eleventy when it is first used.
 *
 * @param write takes each page as it is rendered: its path below the site's folder, with a slash at the
 *   start, and its text.
 */
export function openRenderer(
  {
    sites,
    theme,
  }: { sites: readonly SiteView[]; theme: Pick<Theme, 'templates' | 'functions' | 'folder'> },
  write: (file: string, content: string) => void,
): Renderer {
  const renderPage = pageRenderer(sites, theme);
  return async (pages) => {
    const Eleventy = await loadEleventy();
    let failure: { cause: unknown } | undefined;
    const render = (page: PlannedPage): string => {
      try {
        const text = renderPage(page);
        write(page.file, text);
        return text;
      } catch (cause) {
        // As it is, without what Eleventy puts around it.
        failure ??= { cause };
        throw cause;
      }
    };
    // Eleventy writes nothing itself, so nobody's file is in its way.
    const eleventy = new Eleventy(eleventyPath('templates'), undefined, {
      dryRun: true,
      configPath: eleventyPath(SITE_CONFIG),
      quietMode: true,
      config: givePages({ pages, render }),
    });
    // Quiet mode prints how many files were written.
    eleventy.disableLogger();
    try {
      await eleventy.write();
    } catch (cause) {
      throw failure ? failure.cause : cause;
    }
  };
}

/** Writes what is not rendered from a template. */
export function writePlannedFiles(files: Iterable<PlannedFile>, folder: string): void {
  for (const { file, content } of files) {
    const target = path.join(folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, content());
  }
}
