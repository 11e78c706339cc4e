import type { LoadedConfig } from '../../config/load.ts';
import type { Sources } from '../../config/opened-sources.ts';
import type { DealerConfig } from '../../config/schema.ts';
import type { Control } from '../../stock/control.ts';
import type { DealerFacts } from '../../stock/facts.ts';
import type { Texts } from '../i18n/text.ts';
import type { Assets } from './assets.ts';
import type { LegalLink, PageLink } from './footer.ts';
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

/** What all pages of a site share. */
export interface SiteContext
  extends Pick<
    LoadedConfig['site'],
    'title' | 'timeZone' | 'perPage' | 'plates' | 'sticker' | 'favourites' | 'enquiry'
  > {
  place: SiteAddress;
  texts: Texts;
  views: MediaViews;
  assets: Assets;
  /** Decisions about single vehicles. */
  control: Control;
  feeds: LoadedConfig['feeds'];
  /** Whether the front page is the list of the only dealer. */
  frontIsList: boolean;
  /** Whether pages of makes show vehicles of all dealers: of some hundred, all these cards fit in memory. */
  hasHubs: boolean;
  /** Pages of the texts of `site.legal`. */
  legal: readonly LegalLink[];
  /** Links to custom pages. */
  navigation: readonly PageLink[];
  /** Default fields of a page's frame, which a view can replace. */
  frame: Omit<PageView, 'url' | 'file' | 'canonical' | 'title' | 'description'>;
  /** Content-Security-Policy of a page that frames these origins, and needs some sources besides. */
  policy(frameOrigins: readonly string[], more?: Sources): string;
  /** Hash of the templates and of their input besides a page's own view. */
  renderKey: string;
  /** The same for one layout, shortened, to be appended to the key of a page's view. */
  layoutKey(layout: string): string;
}

/** What all pages of a dealer share. */
export interface DealerContext extends SiteContext {
  dealer: DealerConfig;
  link: DealerLink;
  facts: DealerFacts | undefined;
  /** Hash of all input of the views of its vehicles, except the vehicles themselves. */
  viewKey: string;
}
