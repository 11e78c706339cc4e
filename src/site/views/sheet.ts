import { encode } from 'uqr';
import type { DealerConfig } from '../../config/schema.ts';
import type { GalleryView, SheetView } from './gallery-types.ts';

/** Light modules around the code. With fewer, readers may not find it (ISO/IEC 18004). */
const BORDER = 4;

/**
 * The QR code of a text, black on white, as lines that are one module high. It is readable if an eighth of it is covered (level M). The mask is always
 * the same: readers accept any mask, and finding the best one takes eight times as long.
 */
export function qrCode(text: string): SheetView['qr'] {
  const { data, size } = encode(text, { ecc: 'M', border: 0, maskPattern: 0 });
  const lines = data.map((row, y) => {
    let line = '';
    let end = 0;
    for (let x = row.indexOf(true); x >= 0; x = row.indexOf(true, end)) {
      const from = line === '' ? `M${x + BORDER} ${y + BORDER + 0.5}` : `m${x - end} 0`;
      const light = row.indexOf(false, x);
      end = light < 0 ? size : light;
      line += `${from}h${end - x}`;
    }
    return line;
  });
  return { path: lines.join(''), size: size + 2 * BORDER };
}

/** Content of a vehicle's printed sheet, without its texts: the gallery's first picture, and a link to its page. */
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
