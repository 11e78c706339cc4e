import { Secret } from '../../src/config/secret.ts';
import type { SampleDealer } from '../../src/sample-service/data/store.ts';
import { vehicleSlug } from '../../src/stock/address.ts';
import type { SampleService } from '../support/sample-service/index.ts';
import { placeOf } from './answers.ts';
import { type Answer, armed, DEALERS, dealerId, possibleAnswers } from './faults.ts';
import { pagesOf, type Tree } from './live.ts';
import type { Edit, Night, Schedule } from './schedule.ts';
import { keyOf, SHORT_KEY } from './stage.ts';

export const places = Array.from({ length: DEALERS }, (_, dealer) => dealer);
export const slugOf = (dealer: number): string => `dealer-${dealer + 1}`;
const pageOf = (dealer: number, vrm: string): string =>
  `${slugOf(dealer)}/${vehicleSlug(vrm)}/index.html`;

/** The service of a seed: its stock, keys and faults, and their effects. */
export class World {
  readonly #service: SampleService;
  readonly #opens: Schedule['opens'];
  readonly #short: Schedule['short'];
  readonly #original: readonly SampleDealer[];
  /** Current key of each dealer. */
  readonly #generations = places.map(() => 0);
  readonly #keys = new Map<string, Secret>();
  /** When an honest response first omitted a page's vehicle. */
  readonly absentSince = new Map<string, number>();
  /** The page of each dealer's vehicle that had a picture with an odd id. */
  readonly #withOddId = new Map<number, string>();
  /** Pages of vehicles from which a restored stock removed the picture with an odd id. */
  readonly fewerPictures = new Set<string>();

  constructor(service: SampleService, { opens, short }: Pick<Schedule, 'opens' | 'short'>) {
    this.#service = service;
    this.#opens = opens;
    this.#short = short;
    this.#original = structuredClone(service.data.dealers);
  }

  /** Every key that was used. */
  get keys(): Secret[] {
    return [...this.#keys.values()];
  }

  /** Initial stock, pictures and faults. Also the keys at the end of a seed. */
  restore({ keys }: { keys: boolean }): void {
    const { data, faults } = this.#service;
    faults.clear();
    for (const [index, original] of this.#original.entries()) {
      const dealer = data.dealers[index];
      if (!dealer) continue;
      dealer.vehicles = structuredClone(original.vehicles);
      if (keys) dealer.apiKey = keyOf(index, 0);
    }
    for (const [id, { revision }] of data.pictures) {
      if (revision) data.override(id, { revision: 0 });
    }
  }

  #apply(edit: Edit): void {
    const { data } = this.#service;
    const dealer = data.dealers[edit.dealer];
    const full = this.#original[edit.dealer];
    if (!dealer || !full) return;
    if (edit.kind === 'restore') {
      const page = this.#withOddId.get(edit.dealer);
      if (page) this.fewerPictures.add(page);
      dealer.vehicles = structuredClone(full.vehicles);
    } else if (edit.kind === 'shrink') dealer.vehicles.splice(edit.keep);
    else if (edit.kind === 'remove') dealer.vehicles.splice(edit.vehicle, 1);
    else {
      const vehicle = dealer.vehicles[edit.vehicle];
      if (!vehicle) return;
      if (edit.kind === 'update') vehicle.dateUpdated = '2026-03-02T01:00:00Z';
      // Two alternating versions, to limit the drawing of the service.
      const image = vehicle.mediaList.find(({ type }) => type === 'Image');
      if (edit.kind === 'odd id' && image) {
        const mediaUrl = `${image.mediaUrl}?odd`;
        vehicle.mediaList.push({ ...image, id: edit.id, mediaUrl });
        this.#withOddId.set(edit.dealer, pageOf(edit.dealer, vehicle.vrm));
      }
      if (edit.kind === 'repaint' && image) {
        const revision = data.pictures.get(image.id)?.revision ?? 0;
        data.override(image.id, { revision: 1 - revision });
      }
    }
  }

  /** Applies the changes between two nights. @returns the configured keys. */
  pass(night: Night, now: number): string[] {
    for (const edit of night.edits) this.#apply(edit);
    for (const [dealer, { vehicles }] of this.#original.entries()) {
      const listed = new Set(this.#service.data.dealers[dealer]?.vehicles.map(({ vrm }) => vrm));
      this.#areAbsent(
        dealer,
        now,
        vehicles.filter(({ vrm }) => !listed.has(vrm)),
      );
    }
    for (const dealer of night.rotated) {
      this.#generations[dealer] = (this.#generations[dealer] ?? 0) + 1;
    }
    return this.setKeys(night.wrongKey);
  }

  #areAbsent(dealer: number, now: number, vehicles: readonly { vrm: string }[]): void {
    for (const { vrm } of vehicles) {
      const file = pageOf(dealer, vrm);
      this.absentSince.set(file, Math.min(this.absentSince.get(file) ?? now, now));
    }
  }

  /** The user accepts that a dealer is empty. */
  acceptsNothing(dealer: number, now: number): void {
    this.#areAbsent(dealer, now, this.#original[dealer]?.vehicles ?? []);
  }

  /** Records a published stock. Vehicles missing from it stay withdrawn. */
  isLive(files: Tree): void {
    for (const dealer of places) {
      const { listed } = pagesOf(files, slugOf(dealer));
      for (const file of this.honest(dealer)) if (listed.has(file)) this.absentSince.delete(file);
    }
  }

  /** Gives the service its keys. @returns the configured ones. */
  setKeys(wrong: readonly number[]): string[] {
    return places.map((dealer) => {
      const length = this.hasShortKey(dealer) ? { length: SHORT_KEY } : {};
      const right = keyOf(dealer, this.#generations[dealer] ?? 0, length);
      const served = this.#service.data.dealers[dealer];
      if (served) served.apiKey = right;
      const key = wrong.includes(dealer) ? keyOf(dealer, 'wrong') : right;
      for (const one of [right, key]) this.#keys.set(one, new Secret(one));
      return key;
    });
  }

  /** Whether a dealer's key is too short for a signature. */
  hasShortKey(dealer: number): boolean {
    return this.#short.includes(dealer);
  }

  /** Activates the faults of a night. */
  arm(index: number, night: Night, keys: readonly string[]): void {
    const { faults } = this.#service;
    faults.clear();
    for (const drawn of night.faults) faults.set(armed(drawn, keys, this.#service));
    if (index < this.#opens.night) {
      faults.set({ route: 'media', dealerId: dealerId(DEALERS - 1), status: this.#opens.before });
    }
  }

  disarm(): void {
    this.#service.faults.clear();
  }

  /** Pages of the vehicles in the real stock. */
  honest(dealer: number): string[] {
    const { vehicles = [] } = this.#service.data.dealers[dealer] ?? {};
    return vehicles.map(({ vrm }) => pageOf(dealer, vrm));
  }

  nameOf(dealer: number): string {
    return this.#original[dealer]?.name ?? '';
  }

  /** Possible responses of a dealer's service in a night. */
  possible(index: number, night: Night, dealer: number): Set<Answer> {
    const closed = dealer === DEALERS - 1 && index < this.#opens.night;
    const before = this.#opens.before === 503 ? 'none' : 'refused';
    const truth = night.wrongKey.includes(dealer) ? 'refused' : 'whole';
    const otherwise = closed ? before : truth;
    const given = { truth, otherwise, patient: night.compared } as const;
    const possible = possibleAnswers(night.faults, dealer, given);
    return new Set([...possible].map((answer) => this.#asTaken(answer, dealer)));
  }

  /** Classifies an altered response by the limits of the configuration. */
  #asTaken(answer: Answer, dealer: number): Answer {
    const { length } = this.honest(dealer);
    if (length === 0 && (answer === 'bare' || answer === 'malformed')) return 'whole';
    // One of fewer than five exceeds publish.maxQuarantined.
    return answer === 'malformed' && length < 5 ? 'none' : answer;
  }

  /** The page of the vehicle whose record is malformed in a night. */
  malformed({ faults }: Night, dealer: number): string | undefined {
    const pages = this.honest(dealer);
    for (const { fault, alteration } of faults) {
      if (fault.dealerId !== dealerId(dealer) || alteration?.answer !== 'malformed') continue;
      return pages[placeOf(alteration, pages.length)];
    }
    return undefined;
  }
}
