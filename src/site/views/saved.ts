import { SAVED_PAGE } from '../../config/site-schema.ts';
import type { SiteContext } from './context.ts';
import { pageAt } from './site-url.ts';
import type { SavedView } from './site-wide-view.ts';

/** Address of the page of saved vehicles, below the site's. */
export const SAVED_ADDRESS = `/${SAVED_PAGE}/`;

/** The page of saved vehicles, which a script fills in the visitor's browser. */
export function savedView({ place, title, texts, frame }: SiteContext): SavedView {
  const { words } = texts;
  return {
    ...frame,
    ...pageAt(place, SAVED_ADDRESS),
    title: `${words.saved} – ${title}`,
    description: words.savedNote,
    noindex: true,
    heading: words.saved,
  };
}
