import type { DealerConfig } from '../../config/schema.ts';
import type { PictureView, VideoView } from './gallery-types.ts';
import { qrCode } from './qr.ts';
import type { SheetView } from './view.ts';

/** What a vehicle's sheet of paper has besides its texts: a picture, and the way to its page. */
export function sheetOf(
  canonical: string,
  [picture]: readonly PictureView[],
  [video]: readonly VideoView[],
  { contact }: Pick<DealerConfig, 'contact'>,
): SheetView {
  return {
    picture: picture ?? video?.poster,
    first: (picture ?? video)?.first === true,
    phone: contact?.phone ?? '',
    qr: qrCode(canonical),
    address: canonical.replace(/^https?:\/\/|\/$/g, ''),
  };
}
