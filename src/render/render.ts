import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../errors.ts';
import { isCard } from '../images/card/card.ts';
import { CardDrawer, type CardSources, type PlannedCard } from '../images/card/draw.ts';
import type { PlannedFile, PlannedPage } from '../site/plan/planned.ts';
import type { SiteView } from '../site/views/view.ts';
import { fromWorkingFolder } from './eleventy.ts';
import { NO_PAGES, type SiteData, type SiteState, siteEleventy } from './plugin.ts';
import type { PageRenderer } from './theme/page-renderer.ts';

/** The cause of Eleventy's errors: an AppError or a system error. */
function causeOf(error: unknown): unknown {
  const { originalError } = error as { originalError?: unknown };
  if (error instanceof AppError || originalError === undefined) return error;
  return causeOf(originalError);
}

/**
 * Writes pages into a folder with Eleventy, through `.eleventy.ts`. It never overwrites a file, which may be a hard
 * link to a published one.
 *
 * @throws the error of a template, with file and line if they are known.
 */
export async function writePages(
  pages: readonly PlannedPage[],
  { site, render }: { site: SiteView; render: PageRenderer },
  { folder, beforeWrite }: { folder: string; beforeWrite?: () => void },
): Promise<void> {
  const state: SiteState = { ...NO_PAGES, views: () => ({ site }), render, pages };
  const data: SiteData = { read: () => state };
  const planned = new Set(pages.map(({ file }) => path.join(folder, file)));
  let hasFailed = false;
  const check = (outputPath: string) => {
    beforeWrite?.();
    const file = path.resolve(outputPath);
    // Eleventy writes to any permalink, and continues after a failure.
    if (hasFailed || !planned.has(file)) throw new Error(`${file} is not a planned page`);
    if (existsSync(file)) throw new Error(`${file} exists already`);
  };
  const eleventy = await siteEleventy(data, fromWorkingFolder(folder), 'build', (config) =>
    config.addTransform('before-write', function (content) {
      check(this.page.outputPath);
      return content;
    }),
  );
  try {
    const [, written] = await eleventy.write();
    if (written.length === pages.length) return;
    throw new Error(`${written.length} of ${pages.length} pages were written`);
  } catch (error) {
    hasFailed = true;
    throw causeOf(error);
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
  if (!cards) return;
  await using drawer = new CardDrawer(cards);
  await drawer.draw(plannedCards, (card, { bytes }) => write(card, bytes));
}
