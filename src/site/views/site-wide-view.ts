/** The view models of pages that belong to no single dealer; see view.ts. */
import type { CardView, PageView } from './view.ts';

export interface FrontView extends PageView {
  heading: string;
  dealers: { name: string; url: string; vehiclesText: string; cover: CardView['cover'] }[];
  vehiclesText: string;
  cards: CardView[];
  indices: string[];
  priced: boolean;
  /** Whether its vehicles differ in anything that they can be filtered by. */
  filterable: boolean;
}

/** The page of a text of `site.legal`. */
export interface LegalView extends PageView {
  heading: string;
  /** The text as markup, safe to be written into the page as it is. */
  html: string;
}

/** A page that an extension adds. */
export interface OwnPageView extends PageView {
  /** Name of the template that it is rendered with. */
  template: string;
  /** The title as the extension gave it, without the name of the site. */
  heading: string;
  /** What the extension gave for this page. */
  data: Record<string, unknown>;
}
