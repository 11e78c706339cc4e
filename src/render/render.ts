import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../errors.ts';
import { isCard, type SocialCard } from '../images/card/card.ts';
import { type CardSources, drawCards } from '../images/card/draw.ts';
import type { PlannedFile, PlannedPage } from '../site/plan/planned.ts';
import type { SiteView } from '../site/views/view.ts';
import { eleventyPath, fromWorkingFolder, loadEleventy, SITE_CONFIG } from './eleventy.ts';
import { type PageRenderer, pageRenderer } from './page-renderer.ts';
import { NO_PAGES, passSite, type SiteData } from './plugin.ts';
import type { Theme } from './theme/theme.ts';

/** Renders pages and writes them. @throws a template's error, with file and line where they are known. */
export type Renderer = (pages: readonly PlannedPage[]) => Promise<void>;

/** The error that Eleventy's own errors were made from: ours, or one of the system. */
function firstError(error: unknown): unknown {
  const { originalError } = error as { originalError?: unknown };
  if (error instanceof AppError || originalError === undefined) return error;
  return firstError(originalError);
}

/** Where pages go. */
interface Target {
  /**
   * Takes only the pages: a file that is there already may be a hard link to a published one, and is
   * never overwritten. Without it, each page is rendered without Eleventy and passed to `write`.
   */
  folder?: string;
  write: (file: string, content: string) => void;
  beforeWrite?: (() => void) | undefined;
}

/** Pages that Eleventy renders and writes. */
interface Pages extends Pick<Target, 'beforeWrite'> {
  pages: readonly PlannedPage[];
  site: SiteView | undefined;
  render: PageRenderer;
  /** Absolute. */
  folder: string;
}

/** A renderer through `.eleventy.ts`. It loads Eleventy when it is first used. */
export function openRenderer(
  { sites, theme }: { sites: readonly SiteView[]; theme: Pick<Theme, 'templates' | 'folder'> },
  { folder, write, beforeWrite }: Target,
): Renderer {
  const render = pageRenderer(sites, theme);
  if (folder !== undefined) {
    return (pages) => writePages({ pages, site: sites[0], render, folder, beforeWrite });
  }
  return async (pages) => {
    for (const page of pages) write(page.file, render(page));
  };
}

async function writePages({ pages, site, render, folder, beforeWrite }: Pages): Promise<void> {
  const Eleventy = await loadEleventy();
  const state = { ...NO_PAGES, views: () => ({ site }), render, pages };
  const data: SiteData = { read: () => state };
  const planned = new Set(pages.map(({ file }) => path.join(folder, file)));
  let failed = false;
  const check = (outputPath: string) => {
    beforeWrite?.();
    const file = path.resolve(outputPath);
    // Eleventy writes wherever a permalink leads, and goes on after a failure.
    if (failed || !planned.has(file)) throw new Error(`${file} is not a planned page`);
    if (existsSync(file)) throw new Error(`${file} exists already`);
  };
  const eleventy = new Eleventy(eleventyPath('templates/pages'), fromWorkingFolder(folder), {
    configPath: eleventyPath(SITE_CONFIG),
    quietMode: true,
    config: (eleventyConfig) => {
      passSite(eleventyConfig, data);
      eleventyConfig.addTransform('before-write', function (content) {
        check(this.page.outputPath);
        return content;
      });
    },
  });
  // Quiet mode prints how many files were written.
  eleventy.disableLogger();
  try {
    const [, written] = await eleventy.write();
    if (written.length === pages.length) return;
    throw new Error(`${written.length} of ${pages.length} pages were written`);
  } catch (error) {
    failed = true;
    throw firstError(error);
  } finally {
    // Eleventy never frees a configuration.
    data.state = undefined;
    data.read = () => ({ ...state, pages: [] });
  }
}

/** Writes files that no template renders. */
export async function writePlannedFiles(
  files: Iterable<PlannedFile>,
  folder: string,
  cards: CardSources | undefined,
): Promise<void> {
  const waiting: { file: string; card: SocialCard }[] = [];
  const write = ({ file }: { file: string }, content: string | Uint8Array) => {
    const target = path.join(folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, content);
  };
  for (const { file, content } of files) {
    const made = content();
    if (isCard(made)) waiting.push({ file, card: made });
    else write({ file }, made);
  }
  if (cards) await drawCards(waiting, cards, write);
}
