import { sourceHash, type Vehicle } from '../../src/stock/vehicle.ts';

export interface StockInput {
  /** Base URL of the picture server. */
  baseUrl: string;
  vehicles: number;
  /** Pictures of each vehicle. */
  pictures: number;
  /** Vehicle number → how often it was updated. */
  updates?: Record<number, number>;
}

/** The dealer of all vehicles. */
export const DEALER = '1';

/** Number of a picture on the picture server. */
export const pictureNumber = (vehicle: number, picture: number, pictures: number): number =>
  vehicle * pictures + picture;

/** Vehicles with pictures on the picture server. */
export function stockOf({ baseUrl, vehicles, pictures, updates = {} }: StockInput): Vehicle[] {
  const start = Date.UTC(2026, 2, 2);
  return Array.from({ length: vehicles }, (_, vehicle) => ({
    dealerId: Number(DEALER),
    vrm: `AB${vehicle}CD`,
    slug: `ab${vehicle}cd`,
    dateUpdated: new Date(start + (updates[vehicle] ?? 0) * 86_400_000).toISOString(),
    media: Array.from({ length: pictures }, (_, picture) => {
      const number = pictureNumber(vehicle, picture, pictures);
      const url = `${baseUrl}/${number}.jpg`;
      return {
        kind: 'image' as const,
        id: number,
        label: `Image ${picture + 1}`,
        source: sourceHash(1, number, url),
        url,
      };
    }),
  }));
}
