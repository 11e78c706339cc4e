/** The view models of pictures, videos and the gallery. */

/** One picture in all its sizes. */
export interface ImageView {
  /** Medium size, in the most widely supported of `media.formats`, or JPEG with `media.fallback: 'all'`. */
  src: string;
  /** All sizes for the `<img>`, if there is only one format. Otherwise empty: use `sources`. */
  srcset: string;
  /** Size of the source in pixels. */
  width: number;
  height: number;
  /** All sizes, one entry per format, best first. Empty if only the JPEG exists. */
  sources: { type: string; srcset: string }[];
  /** The smallest size, for the thumbnail strip. */
  thumb: string;
  /** Mean colour as six hex digits, and the nearest colour class of the style sheet. */
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
  /** Label of the thumbnail's link. */
  thumbLabel: string;
  /** Absolute URL of the full-size picture. */
  full: string;
  /** A `srcset` of wider files, for the viewer. Empty if there are none. */
  larger: string;
  /** Whether it is the first item of the gallery, which loads first and not lazily. */
  first: boolean;
  /** Position in the gallery's mosaic: `large`, `small` or empty. */
  tile: string;
  /** Share of the stage's width that the whole picture fills: less than 1 in portrait format. */
  share: number;
}

export interface VideoView {
  kind: 'video';
  position: number;
  id: number;
  label: string;
  title: string;
  thumbLabel: string;
  /** Label of the play button. */
  action: string;
  /** Text of the link to `player`, shown if the embedded player does not load. */
  watch: string;
  /**
   * URL of the embedded player, if the video can be embedded. `play` starts it at once. `answers`: whether a
   * script can check that the host responds.
   */
  embed?: { src: string; play: string; provider: string; answers: boolean };
  /** Absolute URL of the service's page that plays the video. */
  player: string;
  /** The provider's still, or the vehicle's first picture. */
  poster?: ImageView;
  first: boolean;
}

export type MediaView = PictureView | VideoView;

/** The gallery: stage, thumbnails and viewer. */
export interface GalleryView {
  label: string;
  /** Class that gives the stage the aspect ratio of the first picture. */
  shape: string;
  items: MediaView[];
  /** The first text of the counter, such as `1 of 12`. */
  position: string;
  /** Whether there are several items. */
  several: boolean;
  /** Whether there are enough pictures for one large and two small ones side by side. */
  mosaic: boolean;
  /** Text of the mosaic's button, such as `All 10 photos`. */
  allText: string;
  /** The link on the first picture that leads to the first video. */
  chip: { href: string; text: string; action: string } | undefined;
}

/** The picture of a card. */
export interface CoverView {
  src: string;
  srcset: string;
  /** Pixels of the largest size. */
  width: number;
  height: number;
  colourClass: string;
}

/** Data for paper, in addition to the texts of a vehicle. */
export interface SheetView {
  picture: ImageView | undefined;
  /** The picture's position in the gallery's mosaic. The same size is used, so it is loaded once. */
  tile: string;
  /** The dealer's phone number. Empty if there is none. */
  phone: string;
  /** QR code of the page's URL: the `d` of a path, and the width of the square in modules. */
  qr: { path: string; size: number };
  /** The URL as people read it. */
  address: string;
}
