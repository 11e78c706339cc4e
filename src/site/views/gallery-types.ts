/** The view models of pictures, videos and the gallery. */

/** One picture in all its sizes. */
export interface ImageView {
  /** Medium size: in the most widely supported configured format, or JPEG with `media.fallback: 'all'`. */
  src: string;
  /** All sizes for the `<img>`, if there is only one format. Otherwise empty, see `sources`. */
  srcset: string;
  /** Size of the source in pixels. */
  width: number;
  height: number;
  /** All sizes, one per format, best first. Empty if only the JPEG exists. */
  sources: { type: string; srcset: string }[];
  /** The smallest, for the thumbnail strip. */
  thumb: string;
  /** Mean colour (six hex digits), and the nearest class of the style sheet. */
  colour: string;
  colourClass: string;
}

export interface PictureView extends ImageView {
  kind: 'picture';
  /** Position among the media of the vehicle, from 1. */
  position: number;
  id: number;
  label: string;
  alt: string;
  /** Text of the thumbnail's link. */
  thumbLabel: string;
  /** Absolute URL of the full-size picture. */
  full: string;
  /** Wider outputs than in the first source, for the viewer, as a `srcset`, or empty. */
  larger: string;
  /** Whether it is the first of the gallery: not lazy, loaded first. */
  first: boolean;
  /** Its size in the gallery's mosaic: `large`, `small` or empty. */
  tile: string;
}

export interface VideoView {
  kind: 'video';
  position: number;
  id: number;
  label: string;
  title: string;
  thumbLabel: string;
  /** Text of its link. */
  action: string;
  /** Text of the link to `player` if the embedded player fails. */
  watch: string;
  /**
   * Player URL, if the video can be embedded. `play` starts it automatically. `answers`: the page may request its
   * host to check availability.
   */
  embed?: { src: string; play: string; provider: string; answers: boolean };
  /** Absolute URL of the player page at the service. */
  player: string;
  /** The provider's still, or the vehicle's first picture. */
  poster?: ImageView;
  first: boolean;
}

export type MediaView = PictureView | VideoView;

/** The gallery: stage, thumbnails and viewer. */
export interface GalleryView {
  label: string;
  /** Class for the aspect ratio of the first picture. */
  shape: string;
  items: MediaView[];
  /** Initial text of the counter, such as `1 of 12`. */
  position: string;
  /** Whether there are several items. */
  several: boolean;
  /** Enough pictures for one large and two small ones side by side. */
  mosaic: boolean;
  /** Text of the link to all pictures, such as `All 10 photos`. */
  allText: string;
  /** The link on the first picture to the first video. */
  chip: { href: string; text: string; action: string } | undefined;
}

/** The picture of a card. */
export interface CoverView {
  src: string;
  srcset: string;
  /** Largest size in pixels. */
  width: number;
  height: number;
  colourClass: string;
}

/** Additional data for printing a vehicle. */
export interface SheetView {
  picture: ImageView | undefined;
  /** Its size in the gallery's mosaic, so that it is loaded once. */
  tile: string;
  /** The dealer's phone number, or empty. */
  phone: string;
  /** QR code of the page's URL: the `d` of a path, and its size in modules. */
  qr: { path: string; size: number };
  /** The URL in readable form. */
  address: string;
}
