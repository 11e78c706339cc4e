import type nunjucks from 'nunjucks';
import type { PlannedFile, PlannedPage } from '../site/plan/planned.ts';
import type { SiteView } from '../site/views/view.ts';

/** What `.eleventy.ts` needs. */
export interface Prepared {
  site: SiteView;
  /** Finds and compiles templates; see `templateEnvironment`. */
  environment: nunjucks.Environment;
  /** Those that are to be rendered. */
  pages: readonly PlannedPage[];
  /** Takes rendered pages, if Eleventy is not to write them itself. */
  write?: (file: string, content: string) => void;
  /** What is no page and Eleventy is to write; a build writes it itself. */
  files?: () => readonly PlannedFile[];
  /** Where the thumbnails lie, if Eleventy is to copy them. */
  mediaFolder?: string;
}

// On the global object, because Eleventy imports `.eleventy.ts` by itself: under a test runner or a
// bundler that is another copy of this module.
const SLOT = Symbol.for('vehicle-media-site.prepared');
const slot = globalThis as { [SLOT]?: Prepared | undefined };

/** Hands pages to the next run of Eleventy in this process. */
export function offerPages(prepared: Prepared): void {
  slot[SLOT] = prepared;
}

/** Takes what was offered, once. */
export function takePages(): Prepared | undefined {
  const taken = slot[SLOT];
  slot[SLOT] = undefined;
  return taken;
}
