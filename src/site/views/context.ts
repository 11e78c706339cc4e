import type { DealerConfig } from '../../config/schema.ts';
import type { DealerFacts } from '../../stock/facts.ts';
import type { Texts } from '../i18n/text.ts';
import type { Assets } from './assets.ts';
import type { MediaViews } from './media-views.ts';
import type { SiteAddress } from './site-url.ts';
import type { DealerLink, LogoView, PageView } from './view.ts';

/** What all pages of a site share. */
export interface SiteContext {
  place: SiteAddress;
  title: string;
  /** Of dates, and of the opening hours of dealers that name none. */
  timeZone: string;
  texts: Texts;
  views: MediaViews;
  assets: Assets;
  perPage: number;
  embedSnippet: boolean;
  /** The frame of a page as most have it; a view writes over it what it has besides. */
  frame: Omit<PageView, 'url' | 'file' | 'canonical' | 'title' | 'description'>;
  /** Content-Security-Policy of a page that frames these origins. */
  policy(frameOrigins: readonly string[]): string;
  /** Hash of the templates and of what they get besides a page's own view. */
  renderKey: string;
  /** The same of one layout, in short: goes behind the key of what its pages are made from. */
  layoutKey(layout: string): string;
}

/** What all pages of a dealer share. */
export interface DealerContext extends SiteContext {
  dealer: DealerConfig;
  link: DealerLink;
  facts: DealerFacts | undefined;
  /** Hash of all that reaches the views of its vehicles, but the vehicles themselves. */
  viewKey: string;
  logo: LogoView | undefined;
}
