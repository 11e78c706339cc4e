import { type ImageMedia, sourceHash, type Vehicle } from '../../src/stock/vehicle.ts';

/** A picture of a vehicle. */
export const pictureOf = (
  id: number,
  url = `https://pictures.example/${id}.jpg`,
  dealerId = 7,
): ImageMedia => ({ kind: 'image', id, label: '', source: sourceHash(dealerId, id, url), url });

/** A vehicle of a dealer, by default without media. */
export const vehicleOf = (
  vrm: string,
  media: Vehicle['media'] = [],
  more: Partial<Vehicle> = {},
): Vehicle => ({
  dealerId: 7,
  vrm,
  slug: vrm.toLowerCase(),
  dateUpdated: '2026-03-01T00:00:00Z',
  media,
  ...more,
});
