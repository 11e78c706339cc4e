import type { PageView, VehicleView } from '../../site/views/view.ts';
import type { DealerStock } from '../../stock/load.ts';
import { PERSONAL_FIELDS } from './inspect.ts';

/**
 * Addresses in a page that come from the service. Whether they resolve is up to the service: one
 * that names a missing page of our own site must not stop the publish.
 */
export function* externalLinks(view: PageView | VehicleView): Iterable<string> {
  if (!('media' in view)) return;
  for (const { full } of view.pictures) if (/^https?:/.test(full)) yield full;
  for (const { player } of view.videos) yield player;
}

/**
 * Whether a text of the service names a field of batches. Such a label is unusual but no leak,
 * and must not stop the publish; then only keys of JSON are searched for.
 */
export function speaksOfBatches(stock: readonly DealerStock[]): boolean {
  const speaks = (text: string) => PERSONAL_FIELDS.test(text);
  return stock.some(({ vehicles, withdrawn }) => {
    if ([...vehicles, ...withdrawn].some(({ vrm }) => speaks(vrm))) return true;
    return vehicles.some(({ media }) => media.some(({ label }) => speaks(label)));
  });
}
