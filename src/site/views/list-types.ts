/** The view models of lists; see view.ts. */
import type { VehicleFacts } from '../../stock/facts.ts';
import type { CoverView } from './gallery-types.ts';
import type { ContactView, DealerLink, LogoView, PageView } from './view.ts';

/** A vehicle in a list. */
export interface CardView {
  url: string;
  slug: string;
  plate: string;
  /** Whether `plate` is one, and not the words for none. */
  hasPlate: boolean;
  /** With the year. */
  name: string;
  /** Without it. */
  heading: string;
  /** Whether `name` says more than the plate, so that both are shown. */
  named: boolean;
  /** `2017 · 64,956 miles · Hybrid · Automatic`; empty where nothing is known. */
  keyFacts: string;
  /** What lists can be filtered by, as the dealer's list writes it. */
  facets: Pick<VehicleFacts, 'make' | 'year' | 'fuel' | 'transmission' | 'body' | 'colour'>;
  price: string;
  /** The price, or where its list has prices and none for it, that it is to be asked for. */
  priceText: string;
  /** For sorting; 0 where it is not known. */
  priceValue: number;
  /** Such as `GBP`; empty where it is not known. */
  priceCurrency: string;
  updated: { iso: string; text: string };
  cover: CoverView | undefined;
  /** Name of the button that saves it; empty where vehicles cannot be saved. */
  saveLabel: string;
  pictureCount: number;
  videoCount: number;
  picturesText: string;
  /** Empty where there is none. */
  videosText: string;
  /** Among the first of its page: not lazy. */
  eager: boolean;
}

/** One link of a pagination; without `url` it is the page itself or a gap. */
export interface PageLink {
  text: string;
  label: string;
  url: string | undefined;
  current: boolean;
}

/** One page of a dealer's list; for `pages/search.njk`, one with the cards of all pages. */
export interface ListView extends PageView {
  dealer: DealerLink;
  logo: LogoView | undefined;
  contacts: ContactView[];
  contactLabel: string;
  vehiclesText: string;
  cards: CardView[];
  /** Pages of the dealer's makes; empty where there is none, or where one would hold all vehicles. */
  makes: MakeLink[];
  /** Empty where there is one page. */
  pages: PageLink[];
  previous: string | undefined;
  next: string | undefined;
  /** Addresses of the indices that the search reads. */
  indices: string[];
  /** Whether prices are known, so that sorting by them makes sense. */
  priced: boolean;
  /** Whether its vehicles differ in anything that they can be filtered by. */
  filterable: boolean;
}

/** A link to the page of a make. */
export interface MakeLink {
  name: string;
  url: string;
  /** Number of its vehicles. */
  vehicles: string;
}
