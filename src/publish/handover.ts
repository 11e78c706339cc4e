import type { SiteModel } from '../site/view.ts';
import type { Theme } from './theme/theme.ts';

/** What `.eleventy.ts` needs: the pages, their templates, and where the thumbnails lie if Eleventy is to copy them. */
export interface Prepared {
  model: SiteModel;
  theme: Theme;
  mediaFolder?: string;
}

// On the global object, because Eleventy imports `.eleventy.ts` by itself: under a test runner or a
// bundler that is another copy of this module.
const SLOT = Symbol.for('vehicle-media-site.prepared');
const slot = globalThis as { [SLOT]?: Prepared | undefined };

/** Hands a finished model to the next run of Eleventy in this process. */
export function offerModel(prepared: Prepared): void {
  slot[SLOT] = prepared;
}

/** Takes what was offered, once. */
export function takeModel(): Prepared | undefined {
  const taken = slot[SLOT];
  slot[SLOT] = undefined;
  return taken;
}
