/** The view models of lists, of makes, and of pages about all dealers; see view.ts. */
import type { VehicleFacts } from '../../stock/vehicle-facts.ts';
import type { CoverView } from './gallery-types.ts';
import type { ContactView, DealerLink, PageView, VehicleTexts } from './view.ts';

/** A vehicle in a list. */
export interface CardView extends VehicleTexts {
  url: string;
  slug: string;
  /** What lists can be filtered by, as the dealer's list writes it. */
  facets: Pick<VehicleFacts, 'make' | 'year' | 'fuel' | 'transmission' | 'body' | 'colour'>;
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

/** One page of several with cards. */
export interface CardPageView extends PageView {
  dealer: DealerLink;
  vehiclesText: string;
  cards: CardView[];
  /** Empty where there is one page. */
  pages: PageLink[];
  previous: string | undefined;
  next: string | undefined;
}

/** What the search of a page needs. */
export interface SearchedView {
  /** Pages of the makes of its vehicles; empty where there is none, or where one would hold all. */
  makes: MakeLink[];
  /** Addresses of the indices that the search reads. */
  indices: string[];
  /** Whether prices are known, so that sorting by them makes sense. */
  priced: boolean;
  /** Whether its vehicles differ in anything that they can be filtered by. */
  filterable: boolean;
}

/** One page of a dealer's list; for `pages/search.njk`, one with the cards of all pages. */
export interface ListView extends CardPageView, SearchedView {
  contacts: ContactView[];
  /** The fastest of them, which stay on a phone's screen. */
  quickContacts: ContactView[];
  contactLabel: string;
}

/** A link to the page of a make. */
export interface MakeLink {
  name: string;
  url: string;
  /** Number of its vehicles. */
  vehicles: string;
}

/** A dealer among others. */
export interface DealerRow {
  name: string;
  /** Its list of vehicles, or where those lie that the page is about. */
  url: string;
  vehiclesText: string;
  cover: CoverView | undefined;
  /** Empty where its address is not known. */
  town: string;
  /** Address of a map, absolute; empty where neither address nor coordinates are known. */
  map: string;
  /** For the script that says whether it is open now, as JSON; empty where that is not known. */
  now: string;
}

/** The front page of a site with several dealers; that of a site with one is its ListView. */
export interface FrontView extends PageView, SearchedView {
  heading: string;
  dealers: DealerRow[];
  vehiclesText: string;
  cards: CardView[];
}

/** One page of the list of a dealer's vehicles of one make. */
export interface MakeView extends CardPageView {
  heading: string;
  /** Of the make. */
  name: string;
  backText: string;
}

/** The page of a make of several dealers. */
export interface MakeHubView extends PageView {
  heading: string;
  /** Of the make. */
  name: string;
  vehiclesText: string;
  /** Those that have it, with the number of its vehicles. */
  dealers: DealerRow[];
}
