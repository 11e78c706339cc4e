import type { EnquirySetting } from '../../config/enquiry-schema.ts';
import type { Sources } from '../../config/policy-schema.ts';
import type { DealerConfig } from '../../config/schema.ts';
import type { DealerFacts } from '../../stock/facts.ts';
import type { Texts } from '../i18n/text.ts';
import type { Assets } from './assets.ts';
import type { LegalLink } from './footer.ts';
import type { MediaViews } from './media-views.ts';
import type { SiteAddress } from './site-url.ts';
import type { DealerLink, LogoView, PageView } from './view.ts';

/** What all pages of a site share. */
export interface SiteContext {
  place: SiteAddress;
  title: string;
  /** Time zone of dates, and of the opening hours of dealers without their own. */
  timeZone: string;
  texts: Texts;
  views: MediaViews;
  assets: Assets;
  perPage: number;
  /** Whether the front page is the list of the only dealer. */
  frontIsList: boolean;
  /** Whether vehicles have a page to print for their windows. */
  sticker: boolean;
  /** Whether visitors can save vehicles. */
  favourites: boolean;
  /** Where enquiries go, where a dealer does not say otherwise. */
  enquiry: EnquirySetting | undefined;
  /** Pages of the texts of `site.legal`. */
  legal: readonly LegalLink[];
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
  logo: LogoView | undefined;
}
