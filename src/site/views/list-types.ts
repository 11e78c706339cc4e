/** The view models of lists, makes and pages about all dealers, see view.ts. */
import type { MileageUnit } from '../../config/region.ts';
import type { ValuedFact } from '../../stock/values.ts';
import type { VehicleFacts } from '../../stock/vehicle-facts.ts';
import type { Facet } from './facets.ts';
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
  /** Values for the filters, as in the stock list. */
  facets: Pick<VehicleFacts, Facet>;
  /** The standard values of these, such as `automatic`. Lists in all languages filter by them. */
  standard: Partial<Record<ValuedFact, string>>;
  /** Empty if the mileage is unknown. */
  mileageUnit: MileageUnit | '';
  /** The `order` of `vehicles.csv`, smaller first. Undefined if not set. */
  order: number | undefined;
  /** The stock number, which the search finds. Empty if it is not known. */
  stockId: string;
  /** The dealer and its town. Empty on pages of one dealer. */
  seller: string;
  updated: { iso: string; text: string };
  cover: CoverView | undefined;
  /** Label of the button that saves it. Empty without `site.favourites`. */
  saveLabel: string;
  pictureCount: number;
  videoCount: number;
  picturesText: string;
  /** Empty if there are none. */
  videosText: string;
  /** Whether it is among the first of its page, whose pictures load at once. */
  eager: boolean;
}

/** One link of a pagination. Without `url` it is the current page or a gap. */
export interface PageLink {
  text: string;
  label: string;
  url: string | undefined;
  current: boolean;
}

/** One of several pages with cards. */
interface CardPageView extends PageView {
  dealer: DealerLink;
  vehiclesText: string;
  cards: CardView[];
  /** Empty if there is only one page. */
  pages: PageLink[];
  previous: string | undefined;
  next: string | undefined;
}

/** The data of a page's search. */
export interface SearchedView {
  /** Pages of makes. Empty if there are none, or if all vehicles have the same make. */
  makes: MakeLink[];
  /** URL of the search index. Empty without search. */
  index: string;
  /** Whether prices are known, so that visitors can sort by them. */
  priced: boolean;
  /** Whether the vehicles differ in a value that filters use. */
  filterable: boolean;
  /** Whether some vehicles have a video and others do not. */
  filmed: boolean;
}

/** The search index of one dealer or of all dealers. */
export interface SearchView extends PageView {
  lists: { dealer: string; cards: CardView[] }[];
}

/** One page of a dealer's list. */
export interface ListView extends CardPageView, SearchedView {
  contacts: ContactView[];
  /** Phone and WhatsApp, otherwise the form. They stay on the screen of a phone. */
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

/** A dealer in a list of dealers. */
export interface DealerRow {
  name: string;
  /** URL of its list of vehicles, or of its vehicles of the page's make. */
  url: string;
  vehiclesText: string;
  logo: LogoView | undefined;
  /** Covers of its two newest vehicles, at most. */
  covers: CoverView[];
  /** Empty if the address is unknown. */
  town: string;
  /** Opening hours on the days of the week. */
  hours: FooterView['hours'];
  /** Absolute URL of a map. Empty if address and coordinates are unknown. */
  map: string;
  /** Opening hours as JSON, for the script that shows whether the dealer is open now. Empty if they are unknown. */
  now: string;
}

/** The front page of a site with several dealers. With one dealer, it is a ListView. */
export interface FrontView extends PageView, SearchedView {
  heading: string;
  dealers: DealerRow[];
  vehiclesText: string;
  cards: CardView[];
  /** Whether the first card is large: its cover is the uncropped picture. */
  lead: boolean;
}

/** One page of a dealer's vehicles of one make. */
export interface MakeView extends CardPageView {
  heading: string;
  /** Name of the make. */
  name: string;
  backText: string;
}

/** The page of a make that several dealers have. */
export interface MakeHubView extends PageView {
  heading: string;
  /** Name of the make. */
  name: string;
  vehiclesText: string;
  /** The newest vehicles of these dealers, at most 24, newest first. */
  cards: CardView[];
  /** The dealers with this make, and their number of its vehicles. */
  dealers: DealerRow[];
}

/** A page that offers the newest vehicles, such as the page for unknown URLs. */
export interface NewestView extends PageView {
  cards: CardView[];
}

/** The page of saved and recently viewed vehicles. */
export interface SavedView extends NewestView {
  heading: string;
  /** URL of the script that makes the cards. */
  script: string;
}

/** A page with a text of `site.legal`. */
export interface LegalView extends PageView {
  heading: string;
  /** The text as HTML, safe to print unescaped. */
  html: string;
}
