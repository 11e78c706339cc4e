/** The view models of pictures, videos and the gallery. */

/** One picture in all its sizes. */
export interface ImageView {
  /** Of medium size: in the configuration's most widely known format, or JPEG with `media.fallback: 'all'`. */
  src: string;
  /** All sizes for the `<img>` itself, where there is only one format; else empty, and `sources` are needed. */
  srcset: string;
  /** Size of the source in pixels. */
  width: number;
  height: number;
  /** All sizes, one per format, best first. Empty where only the JPEG exists. */
  sources: { type: string; srcset: string }[];
  /** The smallest, for the thumbnail strip. */
  thumb: string;
  /** Mean colour, six hex digits, and the class of the style sheet that is nearest to it. */
  colour: string;
  colourClass: string;
}

export interface PictureView extends ImageView {
  kind: 'picture';
  /** Place among the media of the vehicle, from 1. */
  position: number;
  id: number;
  label: string;
  alt: string;
  /** What the thumbnail's link does. */
  thumbLabel: string;
  /** Address of the full-size picture, absolute. */
  full: string;
  /** Outputs for the viewer that are wider than those of the first source, as in a `srcset`. Empty where there are none. */
  larger: string;
  /** Whether it is the first of the gallery: not lazy, fetched first. */
  first: boolean;
  /** Its place in the gallery's mosaic: `large`, `small` or empty. */
  tile: string;
}

export interface VideoView {
  kind: 'video';
  position: number;
  id: number;
  label: string;
  title: string;
  thumbLabel: string;
  /** What a click does. */
  action: string;
  /** What the link to `player` says where the embedded player does not come. */
  watch: string;
  /**
   * Our own player address, where the video can be embedded; `play` starts it at once. `answers`: our page may
   * ask its host whether it is there.
   */
  embed?: { src: string; play: string; provider: string; answers: boolean };
  /** Page that plays the video at the service, absolute. */
  player: string;
  /** The provider's still or the vehicle's first picture. */
  poster?: ImageView;
  first: boolean;
}

export type MediaView = PictureView | VideoView;

/** The gallery: stage, thumbnails and viewer. */
export interface GalleryView {
  label: string;
  /** Class that gives the stage the shape of the first picture. */
  shape: string;
  items: MediaView[];
  /** `1 of 12`, what the counter says before anything has moved. */
  position: string;
  /** Several items: there is something to move between. */
  several: boolean;
  /** Enough pictures for one large and two small ones side by side, where there is room. */
  mosaic: boolean;
  /** What opens all of them from there, such as `All 10 photos`. */
  allText: string;
  /** What stands on the first picture and leads to the first video. */
  chip: { href: string; text: string; action: string } | undefined;
}

/** The picture of a card. */
export interface CoverView {
  src: string;
  srcset: string;
  /** Of the largest size, in pixels. */
  width: number;
  height: number;
  colourClass: string;
}

/** What stands on paper besides the texts of a vehicle. */
export interface SheetView {
  picture: ImageView | undefined;
  /** Its place in the gallery's mosaic: there it has the same size, so that it is loaded once. */
  tile: string;
  /** The dealer's number, as it is written. Empty where there is none. */
  phone: string;
  /** QR code of the page's address: the `d` of a path, and the size of its square in modules. */
  qr: { path: string; size: number };
  /** The address as people read it. */
  address: string;
}
