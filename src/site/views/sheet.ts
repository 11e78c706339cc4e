import type { DealerConfig } from '../../config/schema.ts';
import type { GalleryView, SheetView } from './gallery-types.ts';
import { qrCode } from './qr.ts';

/** What a vehicle's sheet of paper has besides its texts: the gallery's first picture, and the way to its page. */
export function sheetOf(
  canonical: string,
  { items: [first], mosaic }: GalleryView,
  { contact }: Pick<DealerConfig, 'contact'>,
): SheetView {
  const isPicture = first?.kind === 'picture';
  return {
    picture: isPicture ? first : first?.poster,
    tile: (isPicture && mosaic && first.tile) || '',
    phone: contact?.phone ?? '',
    qr: qrCode(canonical),
    address: canonical.replace(/^https?:\/\/|\/$/g, ''),
  };
}
