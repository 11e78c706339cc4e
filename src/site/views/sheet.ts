import type { PictureView, VideoView } from './gallery-types.ts';
import { qrCode } from './qr.ts';
import type { SheetView } from './view.ts';

/** What a vehicle's sheet of paper has besides its texts: a picture, and the way to its page. */
export function sheetOf({
  canonical,
  pictures: [picture],
  videos: [video],
}: {
  canonical: string;
  pictures: readonly PictureView[];
  videos: readonly VideoView[];
}): SheetView {
  return {
    picture: picture ?? video?.poster,
    first: (picture ?? video)?.first === true,
    qr: qrCode(canonical),
    address: canonical.replace(/^https?:\/\/|\/$/g, ''),
  };
}
