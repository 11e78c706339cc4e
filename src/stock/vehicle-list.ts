import type { Vehicle } from './vehicle.ts';

/** The vehicles of a dealer, with what reports count of them. */
export class VehicleList implements Iterable<Vehicle> {
  /** Their registration marks, in their order. */
  readonly vrms: readonly string[];
  /** How many pictures and videos they have. */
  readonly media = { image: 0, video: 0 };
  readonly #vehicles: readonly Vehicle[];

  constructor(vehicles: readonly Vehicle[]) {
    this.vrms = vehicles.map(({ vrm }) => vrm);
    for (const { media } of vehicles) for (const { kind } of media) this.media[kind]++;
    this.#vehicles = vehicles;
  }

  get length(): number {
    return this.vrms.length;
  }

  [Symbol.iterator](): Iterator<Vehicle> {
    return this.#vehicles[Symbol.iterator]();
  }
}
