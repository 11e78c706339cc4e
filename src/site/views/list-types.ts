/** The view models of lists, of makes, and of pages about all dealers; see view.ts. */
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
  /** What lists can be filtered by, as the dealer's list writes it. */
  facets: Pick<
    VehicleFacts,
    'make' | 'year' | 'mileage' | 'fuel' | 'transmission' | 'body' | 'colour'
  >;
  /** Their standard values, such as `automatic`, by which lists in all languages compare them. */
  standard: Partial<Record<ValuedFact, string>>;
  /** Empty where the mileage is not known. */
  mileageUnit: MileageUnit | '';
  /** Its chosen place in lists, smaller first. Undefined without one. */
  order: number | undefined;
  updated: { iso: string; text: string };
  cover: CoverView | undefined;
  /** Name of the button that saves it. Empty where vehicles cannot be saved. */
  saveLabel: string;
  pictureCount: number;
  videoCount: number;
  picturesText: string;
  /** Empty where there is none. */
  videosText: string;
  /** Among the first of its page: not lazy. */
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
  /** Empty where there is one page. */
  pages: PageLink[];
  previous: string | undefined;
  next: string | undefined;
}

/** What the search of a page needs. */
export interface SearchedView {
  /** Pages of the makes of its vehicles. Empty where there is none, or where one would hold all. */
  makes: MakeLink[];
  /** URL of the search index. Empty without search. */
  index: string;
  /** Whether prices are known, so that sorting by them makes sense. */
  priced: boolean;
  /** Whether its vehicles differ in anything that they can be filtered by. */
  filterable: boolean;
  /** Whether some of them have a video, and others none. */
  filmed: boolean;
}

/** The index that the search of a list reads: the lists of a dealer, or of all. */
export interface SearchView extends PageView {
  lists: { dealer: string; cards: CardView[] }[];
}

/** One page of a dealer's list. */
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
  logo: LogoView | undefined;
  /** Covers of at most two of its newest vehicles. */
  covers: CoverView[];
  /** Empty where its address is not known. */
  town: string;
  /** Of the days of the week. */
  hours: FooterView['hours'];
  /** Address of a map, absolute. Empty where neither address nor coordinates are known. */
  map: string;
  /** For the script that says whether it is open now, as JSON. Empty where that is not known. */
  now: string;
}

/** The front page of a site with several dealers; that of a site with one is its ListView. */
export interface FrontView extends PageView, SearchedView {
  heading: string;
  dealers: DealerRow[];
  vehiclesText: string;
  cards: CardView[];
  /** Whether the first card is the large one: its cover is the whole picture. */
  lead: boolean;
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
  /** The newest of each of these dealers, newest first. */
  cards: CardView[];
  /** Those that have it, with the number of its vehicles. */
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
