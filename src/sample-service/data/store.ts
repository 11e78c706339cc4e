import type { MediaItem, VehicleMediaRecord } from '../../contract/media.ts';
import { mediaIdOfCode } from './addresses.ts';
import type { PictureOverride, SampleAccount, SampleData, SampleDealer } from './types.ts';

/** A media item with its vehicle and dealer. */
export interface Located {
  dealer: SampleDealer;
  vehicle: VehicleMediaRecord;
  item: MediaItem;
}

/**
 * The data of a running service. `dealers` and `accounts` are plain arrays that a test may change
 * between two requests: every answer is made from them anew.
 */
export class SampleStore {
  readonly dealers: SampleDealer[];
  readonly accounts: SampleAccount[];
  readonly pictures: Map<number, PictureOverride>;
  private index = new Map<number, Located>();

  constructor(data: SampleData) {
    // Copied, so that one literal can serve many services that each change their own.
    const copy = structuredClone(data);
    this.dealers = copy.dealers;
    this.accounts = copy.accounts;
    this.pictures = new Map(
      Object.entries(copy.pictures ?? {}).map(([id, override]) => [Number(id), override]),
    );
  }

  /** The media item of this id, or undefined where no dealer lists it. */
  locate(mediaId: number): Located | undefined {
    const known = this.index.get(mediaId);
    if (known && this.stands(known, mediaId)) return known;
    this.index = this.buildIndex();
    return this.index.get(mediaId);
  }

  /** The video a hosted-video code names, or undefined where it names none that is hosted. */
  locateHosted(code: string): Located | undefined {
    const id = mediaIdOfCode(code);
    const found = id === undefined ? undefined : this.locate(id);
    return found?.item.type === 'Video' && found.item.hostedVideoUrl ? found : undefined;
  }

  /** Changes what a picture shows, under its unchanged address: new bytes, ETag, Last-Modified. */
  touch(mediaId: number): void {
    const revision = this.pictures.get(mediaId)?.revision ?? 0;
    this.override(mediaId, { revision: revision + 1 });
  }

  /** Makes a picture answer 404 while its item stays listed. */
  remove(mediaId: number): void {
    this.override(mediaId, { deleted: true });
  }

  /** Sets size, orientation, revision or absence of one picture; other properties stay. */
  override(mediaId: number, change: PictureOverride): void {
    this.pictures.set(mediaId, { ...this.pictures.get(mediaId), ...change });
  }

  private stands({ dealer, vehicle, item }: Located, mediaId: number): boolean {
    return (
      item.id === mediaId &&
      vehicle.mediaList.includes(item) &&
      dealer.vehicles.includes(vehicle) &&
      this.dealers.includes(dealer)
    );
  }

  private buildIndex(): Map<number, Located> {
    const index = new Map<number, Located>();
    for (const dealer of this.dealers) {
      for (const vehicle of dealer.vehicles) {
        for (const item of vehicle.mediaList) index.set(item.id, { dealer, vehicle, item });
      }
    }
    return index;
  }
}
