import type { DealerConfig } from '../../config/schema.ts';
import type { ImageView, PictureView, VideoView } from './gallery-types.ts';
import { qrCode } from './qr.ts';

/** What stands on paper besides the texts of a vehicle. */
export interface SheetView {
  picture: ImageView | undefined;
  /** Whether the gallery fetches the same picture first, so that it is there already. */
  first: boolean;
  /** The dealer's number, as it is written; empty where there is none. */
  phone: string;
  /** QR code of the page's address: the `d` of a path, and the size of its square in modules. */
  qr: { path: string; size: number };
  /** The address as people read it. */
  address: string;
}

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
