import type { Secret } from '../config/secret.ts';
import type { PublishedVehicles } from '../stock/published.ts';
import { type FoundFile, type RecordFiles, readRecord } from './file.ts';
import { isMarkable, isMarked } from './mark.ts';
import type { DealerRecord } from './schema.ts';
import { type ConfirmedRecord, readTimes, TIMES, type Times } from './times.ts';

/** A dealer's record, and when its answer was confirmed. */
export interface Remembered extends Pick<ConfirmedRecord, 'confirmed'> {
  record: DealerRecord;
  /** Names the record, see `writeRecord`. */
  hash: string;
}

/** What is remembered of a dealer, and what its visitors see. */
export interface Recalled {
  /** The newest record that can be believed. */
  last: Remembered | undefined;
  /** Undefined where nobody asked. */
  live: PublishedVehicles | undefined;
  /** To be reported: records that are damaged, or not to be believed. */
  notes: string[];
}

interface Dealer {
  id: number;
  slug: string;
  apiKey: Secret;
}

export interface MemoryOptions {
  /** Address of the site, which marks are made for. */
  site: string;
  /** Records of this machine, and of what machines share: whoever writes there runs builds. */
  own: readonly RecordFiles[];
  /**
   * Where what visitors see of a dealer lies, in the published folder or at the site's address.
   * Without it, nobody asks.
   */
  published?: ((dealer: Dealer) => PublishedRecords) | undefined;
}

/** A published site, as far as it is asked about a dealer. */
export interface PublishedRecords {
  files: RecordFiles;
  /** What `DEALER/media.json` lists: of a site without records, or with one that cannot be read. */
  list(): Promise<PublishedVehicles>;
}

const vrmsOf = ({ vehicles }: DealerRecord): string[] => vehicles.map(({ vrm }) => vrm);

/**
 * Reads what is remembered of dealers, wherever it lies. Of several records the one that was
 * confirmed last counts; one of the published site only if its mark says that a build with the
 * dealer's key made it. What is not believed is counted: it may make a build more careful.
 */
export class Memory {
  readonly #options: MemoryOptions;
  readonly #times = new Map<RecordFiles, Promise<ReadTimes>>();

  constructor(options: MemoryOptions) {
    this.#options = options;
  }

  /** @throws only where reading was stopped. */
  async recall(dealer: Dealer): Promise<Recalled> {
    const notes: string[] = [];
    let last: Remembered | undefined;
    for (const files of this.#options.own) {
      const one = await this.#own(files, dealer, notes);
      if (one && (!last || one.confirmed > last.confirmed)) last = one;
    }
    const published = this.#options.published?.(dealer);
    if (!published) return { last, live: undefined, notes };
    const { entry, unknown } = await this.#confirmed(published.files, dealer.id);
    if (unknown !== undefined) return { last, live: { state: 'unknown', why: unknown }, notes };
    if (!entry) return { last, live: await published.list(), notes };
    const about = { site: this.#options.site, dealer: dealer.id, ...entry };
    const believed = isMarked(dealer.apiKey, about, entry.mark);
    const { confirmed } = entry;
    if (last?.hash === entry.record) {
      // The same, told apart by nothing but when it was confirmed.
      if (believed && confirmed > last.confirmed) last = { ...last, confirmed };
      return { last, live: { state: 'live', vrms: vrmsOf(last.record) }, notes };
    }
    const read = await readRecord(published.files, dealer.id);
    if ('why' in read || read.hash !== entry.record) {
      const why = 'why' in read ? read.why : 'it is of another night than the times beside it';
      notes.push(`The published record is not used: ${why}.`);
      return { last, live: await published.list(), notes };
    }
    if (!believed) notes.push(unbelieved(dealer.apiKey));
    else if (!last || confirmed > last.confirmed) last = { confirmed, ...read };
    return { last, live: { state: 'live', vrms: vrmsOf(read.record) }, notes };
  }

  async #own(files: RecordFiles, { id }: Dealer, notes: string[]): Promise<Remembered | undefined> {
    const { entry } = await this.#confirmed(files, id);
    const read = await readRecord(files, id);
    if ('why' in read) {
      if (!read.missing) notes.push(`The kept record is not used: ${read.why}.`);
      return undefined;
    }
    if (!entry) {
      notes.push('The kept record is not used: nothing says when it was confirmed.');
      return undefined;
    }
    // A build that was killed between writing the two has confirmed it later than this says.
    return { ...read, confirmed: entry.confirmed };
  }

  async #confirmed(files: RecordFiles, id: number): Promise<Confirmed> {
    let times = this.#times.get(files);
    if (!times) {
      times = files.read(TIMES).then(timesIn);
      this.#times.set(files, times);
    }
    const read = await times;
    return 'unknown' in read ? read : { entry: read.times.get(id) };
  }
}

type ReadTimes = { times: Times } | { unknown: string };
interface Confirmed {
  entry?: ConfirmedRecord | undefined;
  /** Why nobody can say. */
  unknown?: string;
}

function timesIn(found: FoundFile): ReadTimes {
  if ('bytes' in found) return { times: readTimes(found.bytes) ?? new Map() };
  return found.missing ? { times: new Map() } : { unknown: found.why };
}

const unbelieved = (key: Secret): string =>
  isMarkable(key)
    ? 'The published record is not used: no build with this key made it. After a change of keys that is so for one night.'
    : 'The published record is not used: the key is too short for a mark.';
