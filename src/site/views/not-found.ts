import type { SiteContext } from './context.ts';
import type { PageView } from './view.ts';

/** The page that servers send with status 404. */
export function notFoundView({ texts, place, title, frame, assets }: SiteContext): PageView {
  const url = `${place.root}/404.html`;
  return {
    ...frame,
    url,
    file: '/404.html',
    canonical: `${place.origin}${url}`,
    title: `${texts.words.notFoundTitle} – ${title}`,
    description: texts.words.notFoundText,
    noindex: true,
    // In a frame of another website it shows one line, and reports that the page is missing.
    scripts: [...frame.scripts, assets.script('frame.js')],
  };
}
