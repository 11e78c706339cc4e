import type { LoadedConfig } from '../../config/load.ts';
import type { Sources } from '../../config/opened-sources.ts';
import type { DealerConfig } from '../../config/schema.ts';
import type { Control } from '../../stock/control.ts';
import type { LastList } from '../../stock/facts.ts';
import type { Texts } from '../i18n/text.ts';
import type { Assets } from './assets.ts';
import type { CustomPageLink, LegalLink } from './footer.ts';
import type { MediaViews } from './media-views.ts';
import type { SiteAddress } from './site-url.ts';
import type { DealerLink, PageView } from './view.ts';

/** Fields of a page that search engines and link previews leave out. */
export const UNLISTED = {
  noindex: true,
  alternates: [],
  share: undefined,
  jsonLd: '',
} satisfies Partial<PageView>;

/** Fields of a page that is shown in a frame of another website. */
export const FRAMED = {
  ...UNLISTED,
  icon: undefined,
  manifest: undefined,
  masthead: undefined,
  footer: undefined,
} satisfies Partial<PageView>;

/** The settings of the site that views read. All of them are part of the keys of pages. */
export const VIEW_SETTINGS = [
  'title',
  'timeZone',
  'perPage',
  'plates',
  'sticker',
  'favourites',
  'enquiry',
] as const;

/** The shared input of all pages of a site. */
export interface SiteContext extends Pick<LoadedConfig['site'], (typeof VIEW_SETTINGS)[number]> {
  place: SiteAddress;
  texts: Texts;
  views: MediaViews;
  assets: Assets;
  control: Control;
  feeds: LoadedConfig['feeds'];
  /** Whether the front page is the list of the only dealer. */
  frontIsList: boolean;
  hasOneDealer: boolean;
  /** Whether makes have pages with vehicles of all dealers. The cards of some hundred dealers fit in memory. */
  hasHubs: boolean;
  legal: readonly LegalLink[];
  navigation: readonly CustomPageLink[];
  /** Default fields of a page's frame, which a view can replace. */
  frame: Omit<PageView, 'url' | 'file' | 'canonical' | 'title' | 'description'>;
  /** Content-Security-Policy of a page that frames these origins, and needs more sources. */
  policy(frameOrigins: readonly string[], more?: Sources): string;
  /** Hash of the templates and of their input, except the view of the page. */
  renderKey: string;
  /** Short hash of `renderKey` and one layout, which is appended to the key of a page's view. */
  layoutKey(layout: string): string;
}

/** The shared input of all pages of a dealer. */
export interface DealerContext extends SiteContext {
  dealer: DealerConfig;
  link: DealerLink;
  facts: LastList | undefined;
  /** Hash of all input of the views of its vehicles, except the vehicles themselves. */
  viewKey: string;
}
