/** The view models of links. */

export interface DealerLink {
  id: number;
  slug: string;
  name: string;
  url: string;
}

/** One link of a pagination; without `url` it is the page itself or a gap. */
export interface PageLink {
  text: string;
  label: string;
  url: string | undefined;
  current: boolean;
}

/** A link to the page of a make. */
export interface MakeLink {
  name: string;
  url: string;
  /** Number of its vehicles. */
  vehicles: string;
}
