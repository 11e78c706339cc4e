import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../errors.ts';
import { isCard } from '../images/card/card.ts';
import { type CardSources, drawCards, type PlannedCard } from '../images/card/draw.ts';
import type { PlannedFile, PlannedPage } from '../site/plan/planned.ts';
import type { SiteView } from '../site/views/view.ts';
import { eleventyPath, fromWorkingFolder, loadEleventy, SITE_CONFIG } from './eleventy.ts';
import { NO_PAGES, passSite, type SiteData, type SiteState } from './plugin.ts';
import { pageRenderer } from './theme/page-renderer.ts';
import type { Theme } from './theme/theme.ts';

/** Renders pages and writes them. @throws the error of a template, with file and line if they are known. */
export type Renderer = (pages: readonly PlannedPage[]) => Promise<void>;

/** The destination of pages. */
interface Target {
  /**
   * Eleventy writes the pages into this folder. It never overwrites a file, which may be a hard link to a published
   * one. Without a folder, each page is rendered without Eleventy and passed to `write`.
   */
  folder?: string;
  write: (file: string, content: string) => void;
  beforeWrite?: () => void;
}

/** A renderer through `.eleventy.ts`. It loads Eleventy when it is first used. */
export function openRenderer(
  { sites, theme }: { sites: readonly SiteView[]; theme: Pick<Theme, 'templates' | 'folder'> },
  { folder, write, beforeWrite }: Target,
): Renderer {
  const views = () => ({ site: sites[0] });
  const render = pageRenderer(sites, theme);
  return async (pages) => {
    if (folder !== undefined) {
      await writePages({ ...NO_PAGES, views, render, pages }, folder, beforeWrite);
      return;
    }
    for (const page of pages) write(page.file, render(page));
  };
}

/** The cause of Eleventy's errors: an AppError or a system error. */
function firstError(error: unknown): unknown {
  const { originalError } = error as { originalError?: unknown };
  if (error instanceof AppError || originalError === undefined) return error;
  return firstError(originalError);
}

async function writePages(
  state: SiteState,
  folder: string,
  beforeWrite: (() => void) | undefined,
): Promise<void> {
  const Eleventy = await loadEleventy();
  const data: SiteData = { read: () => state };
  const planned = new Set(state.pages.map(({ file }) => path.join(folder, file)));
  let hasFailed = false;
  const check = (outputPath: string) => {
    beforeWrite?.();
    const file = path.resolve(outputPath);
    // Eleventy writes to any permalink, and continues after a failure.
    if (hasFailed || !planned.has(file)) throw new Error(`${file} is not a planned page`);
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
  // Quiet mode still prints the number of written files.
  eleventy.disableLogger();
  try {
    const [, pages] = await eleventy.write();
    if (pages.length === state.pages.length) return;
    throw new Error(`${pages.length} of ${state.pages.length} pages were written`);
  } catch (error) {
    hasFailed = true;
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
  const plannedCards: PlannedCard[] = [];
  const write = ({ file }: { file: string }, content: string | Uint8Array) => {
    const target = path.join(folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, content);
  };
  for (const { file, key, content } of files) {
    const result = content();
    if (isCard(result)) plannedCards.push({ file, key, card: result });
    else write({ file }, result);
  }
  if (cards) await drawCards(plannedCards, cards, (card, { bytes }) => write(card, bytes));
}
