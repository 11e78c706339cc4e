import type { PlannedFile, PlannedPage } from '../../site/plan/planned.ts';
import type { EleventyConfig } from './eleventy.ts';

/** What `.eleventy.ts` needs. */
export interface Prepared {
  /** Those that are to be rendered. */
  pages: readonly PlannedPage[];
  /** Renders one of them. */
  render: (page: PlannedPage) => string;
  /** What is no page and Eleventy is to write; a build writes it itself. */
  files?: () => readonly PlannedFile[];
  /** Where the thumbnails lie, if Eleventy is to copy them. */
  mediaFolder?: string;
}

/** Name among Eleventy's data. */
const NAME = 'prepared';

/**
 * Hands pages to a run of Eleventy, as its option `config`: that is called with the same configuration
 * as `.eleventy.ts`, and before it.
 */
export const givePages =
  (prepared: Prepared) =>
  (eleventyConfig: EleventyConfig): void => {
    eleventyConfig.addGlobalData(NAME, prepared);
    // On a machine that has much else to do, Eleventy's own transforms are seen to take long. That is
    // printed by a logger that nothing else stops.
    eleventyConfig.benchmarks.config.setIsVerbose(false);
  };

/** What this run was given; undefined where Eleventy was started by itself. */
export function takePages({ globalData }: EleventyConfig): Prepared | undefined {
  const prepared = globalData[NAME] as Prepared | undefined;
  // What stays there is copied into the data of every page.
  delete globalData[NAME];
  return prepared;
}
