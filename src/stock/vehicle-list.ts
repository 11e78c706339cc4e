import type { Vehicle } from './vehicle.ts';

/**
 * The vehicles of a dealer, which need not stay in memory: 20,000 with 20 pictures each are 90 MB
 * there. Whoever does not look at them for long lets go of them, and they are read again when
 * somebody does; then they are not held a second time.
 */
export class VehicleList implements Iterable<Vehicle> {
  /** Their registration marks, in their order. */
  readonly vrms: readonly string[];
  /** How many pictures and videos they have. */
  readonly media = { image: 0, video: 0 };
  readonly #again: (() => readonly Vehicle[]) | undefined;
  #held: readonly Vehicle[] | undefined;

  /** @param again reads the same vehicles again; without it they stay. */
  constructor(vehicles: readonly Vehicle[], again?: () => readonly Vehicle[]) {
    this.vrms = vehicles.map(({ vrm }) => vrm);
    for (const { media } of vehicles) for (const { kind } of media) this.media[kind]++;
    this.#held = vehicles;
    this.#again = again;
  }

  get length(): number {
    return this.vrms.length;
  }

  [Symbol.iterator](): Iterator<Vehicle> {
    return (this.#held ?? this.#again?.() ?? [])[Symbol.iterator]();
  }

  /** Lets go of the vehicles. */
  release(): void {
    if (this.#again) this.#held = undefined;
  }
}
