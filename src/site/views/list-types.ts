/** The view models of lists, makes and pages about all dealers, see view.ts. */
import type { MileageUnit } from '../../config/region.ts';
import type { ValuedFact } from '../../stock/values.ts';
import type { VehicleFacts } from '../../stock/vehicle-facts.ts';
import type { CoverView } from './gallery-types.ts';
import type {
  ContactView,
  DealerLink,
  FooterView,
  LogoView,
  PageView,
  VehicleTexts,
} from './view.ts';

/** A vehicle in a list. */
export interface CardView extends VehicleTexts {
  url: string;
  slug: string;
  /** Values for filters, as written in the dealer's list. */
  facets: Pick<
    VehicleFacts,
    'make' | 'year' | 'mileage' | 'fuel' | 'transmission' | 'body' | 'colour'
  >;
  /** Their standard values, such as `automatic`, for comparisons in all languages. */
  standard: Partial<Record<ValuedFact, string>>;
  /** Empty if the mileage is unknown. */
  mileageUnit: MileageUnit | '';
  /** Its chosen position in lists, ascending, if any. */
  order: number | undefined;
  updated: { iso: string; text: string };
  cover: CoverView | undefined;
  /** Name of the save button. Empty if vehicles cannot be saved. */
  saveLabel: string;
  pictureCount: number;
  videoCount: number;
  picturesText: string;
  /** Empty if there is none. */
  videosText: string;
  /** Among the first on its page: not lazy. */
  eager: boolean;
}

/** One link of a pagination. Without `url` it is the page itself or a gap. */
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
  /** Empty with one page. */
  pages: PageLink[];
  previous: string | undefined;
  next: string | undefined;
}

/** Data for the search of a page. */
export interface SearchedView {
  /** Pages of its makes. Empty if there is none, or if one would list all vehicles. */
  makes: MakeLink[];
  /** URL of the search index. Empty without search. */
  index: string;
  /** Whether prices are known, for sorting. */
  priced: boolean;
  /** Whether its vehicles differ in a filter value. */
  filterable: boolean;
  /** Whether only some of them have a video. */
  filmed: boolean;
}

/** The index for searching lists of a dealer, or of all dealers. */
export interface SearchView extends PageView {
  lists: { dealer: string; cards: CardView[] }[];
}

/** One page of a dealer's list. */
export interface ListView extends CardPageView, SearchedView {
  contacts: ContactView[];
  /** The main ones, always visible on phones. */
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

/** A listed dealer. */
export interface DealerRow {
  name: string;
  /** Its list of vehicles, or the page's vehicles. */
  url: string;
  vehiclesText: string;
  logo: LogoView | undefined;
  /** Covers of at most two of its newest vehicles. */
  covers: CoverView[];
  /** Empty if its address is unknown. */
  town: string;
  /** Hours by day of the week. */
  hours: FooterView['hours'];
  /** Absolute URL of a map. Empty without address and coordinates. */
  map: string;
  /** JSON for the script that shows the current status. Empty if unknown. */
  now: string;
}

/** The front page of a site with several dealers. With one dealer, it is a ListView. */
export interface FrontView extends PageView, SearchedView {
  heading: string;
  dealers: DealerRow[];
  vehiclesText: string;
  cards: CardView[];
  /** Whether the first card is large and shows the uncropped picture. */
  lead: boolean;
}

/** One page of a dealer's vehicles of one make. */
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
  /** Each dealer's newest vehicle, newest first. */
  cards: CardView[];
  /** Dealers with the make, and their numbers of vehicles. */
  dealers: DealerRow[];
}

/** A page that offers the newest vehicles, such as the page for unknown URLs. */
export interface NewestView extends PageView {
  cards: CardView[];
}

/** The page of saved and recently viewed vehicles. */
export interface SavedView extends NewestView {
  heading: string;
}
