import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { PlannedFile } from '../site/plan/planned.ts';
import { loadEleventy } from './eleventy.ts';
import { offerPages, type Prepared } from './eleventy-bridge.ts';
import { templateEnvironment } from './theme/environment.ts';
import { renderError } from './theme/failure.ts';
import type { Theme } from './theme/theme.ts';

/** Renders pages. @throws a template's error, with file and line where they are known. */
export type Renderer = (pages: Prepared['pages']) => Promise<void>;

/**
 * A renderer through `.eleventy.ts`. It loads Eleventy when it is first used.
 *
 * @param write takes each page as it is rendered: its path below the site's folder, and its text.
 */
export function openRenderer(
  { site, theme }: { site: Prepared['site']; theme: Pick<Theme, 'templates' | 'folder'> },
  write: (file: string, content: string) => void,
): Renderer {
  // One for all calls: it keeps compiled templates, and Eleventy never lets go of any it was given.
  let environment: Prepared['environment'] | undefined;
  let failure: { cause: unknown } | undefined;
  const writePage = (file: string, content: string): void => {
    try {
      write(file, content);
    } catch (cause) {
      // Not a template's fault, whatever Eleventy makes of it.
      failure = { cause };
      throw cause;
    }
  };
  return async (pages) => {
    const Eleventy = await loadEleventy();
    environment ??= templateEnvironment(theme.templates);
    offerPages({ site, environment, pages, write: writePage });
    // Eleventy hands over what it rendered; it writes nothing itself.
    const eleventy = new Eleventy('templates', undefined, {
      dryRun: true,
      configPath: '.eleventy.ts',
      quietMode: true,
    });
    // Three switches, with one in `.eleventy.ts`: what took long is printed by loggers of their own.
    eleventy.setIsVerbose(false);
    eleventy.disableLogger();
    try {
      await eleventy.write();
    } catch (cause) {
      throw failure ? failure.cause : renderError(cause, theme.folder);
    }
  };
}

/** Writes what is not rendered from a template. */
export function writeFiles(files: Iterable<PlannedFile>, folder: string): void {
  for (const { file, content } of files) {
    const target = path.join(folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, content());
  }
}
