import type { SiteModel } from '../site/view.ts';

/** What `.eleventy.ts` needs: the pages, and where the thumbnails lie if Eleventy is to copy them. */
export interface Prepared {
  model: SiteModel;
  mediaFolder?: string;
}

let offered: Prepared | undefined;

/** Hands a finished model to the next run of Eleventy in this process. */
export function offerModel(prepared: Prepared): void {
  offered = prepared;
}

/** Takes what was offered, once. */
export function takeModel(): Prepared | undefined {
  const taken = offered;
  offered = undefined;
  return taken;
}
