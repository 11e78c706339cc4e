import type { Texts } from '../i18n/text.ts';
import type { GalleryView, MediaView, PictureView, VideoView } from './gallery-types.ts';

/** Aspect ratios of the stage, by class of the style sheet. */
const SHAPES = [
  { name: 'r-4x3', ratio: 4 / 3 },
  { name: 'r-3x2', ratio: 3 / 2 },
  { name: 'r-16x9', ratio: 16 / 9 },
] as const;

/** Pictures that a mosaic shows: one large, two small. */
const MOSAIC = 3;

export const isPicture = (item: MediaView): item is PictureView => item.kind === 'picture';
export const isVideo = (item: MediaView): item is VideoView => item.kind === 'video';

type Size = Pick<PictureView, 'width' | 'height'>;

const ratioOf = ({ width, height }: Size): number => width / height;

/** Whether a wide tile would show only a small, blurred part of a picture. */
export const isPanorama = (picture: Size): boolean => ratioOf(picture) > 3;

/** The shape with the nearest aspect ratio. */
function shapeOf(ratio: number) {
  const distance = (shape: { ratio: number }) => Math.abs(Math.log(shape.ratio / ratio));
  return SHAPES.reduce((best, shape) => (distance(shape) < distance(best) ? shape : best));
}

/** The media in the order of the gallery, with the first picture before videos. */
function pictureFirst(media: readonly MediaView[]): MediaView[] {
  const first = media.find(isPicture);
  const items = first ? [first, ...media.filter((item) => item !== first)] : media;
  return items.map((item, index) => ({ ...item, position: index + 1, first: index === 0 }));
}

/** The gallery of a vehicle. A picture comes first, even if the service lists videos before it. */
export function galleryOf(
  media: readonly MediaView[],
  fullName: string,
  { words, fill, count }: Texts,
): GalleryView {
  const items = pictureFirst(media);
  const pictures = items.filter(isPicture);
  const [first] = pictures;
  const shape = shapeOf(first ? ratioOf(first) : 16 / 9);
  // A large tile would cut off most of a picture in portrait format, and of a panorama.
  const mosaic =
    pictures.length >= MOSAIC && first !== undefined && ratioOf(first) >= 1 && !isPanorama(first);
  for (const [index, picture] of pictures.entries()) {
    picture.share = Math.min(1, ratioOf(picture) / shape.ratio);
    if (mosaic && index < MOSAIC) picture.tile = index === 0 ? 'large' : 'small';
  }
  const video = first && items.find(isVideo);
  return {
    label: fill(words.gallery, { vehicle: fullName }),
    shape: shape.name,
    items,
    position: fill(words.position, { n: 1, total: items.length }),
    several: items.length > 1,
    mosaic,
    allText: count(words.allPhotos, pictures.length),
    chip: video && {
      href: `#${video.position}`,
      text: video.label.trim() || words.video,
      action: video.action,
    },
  };
}

/** Origins that the pages of a vehicle with these videos frame. */
export const originsOf = (videos: readonly VideoView[]): string[] =>
  [...new Set(videos.flatMap(({ embed }) => (embed ? new URL(embed.src).origin : [])))].sort();
