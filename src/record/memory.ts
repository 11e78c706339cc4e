import type { Secret } from '../config/secret.ts';
import type { PublishedVehicles } from '../stock/published.ts';
import { type FoundFile, type GoodRecord, type RecordFiles, readRecord } from './file.ts';
import { bytesHash, filesName, type PublishedFiles, readFiles } from './files.ts';
import { isListMarked, isMarkable, isMarked } from './mark.ts';
import type { DealerRecord } from './schema.ts';
import { type ConfirmedRecord, readTimes, TIMES, type Times } from './times.ts';

/** A dealer's record, and when its answer was confirmed. */
export interface Remembered extends Pick<ConfirmedRecord, 'confirmed'>, GoodRecord {}

/** A dealer's published files, as far as they can be believed without looking at them. */
export interface PublishedDealer extends Pick<GoodRecord, 'record' | 'sums' | 'pieces'> {
  /** The list, and what it is as a file; undefined where it cannot be believed, or cannot be had. */
  list: (PublishedFiles & { bytes: Uint8Array }) | undefined;
  /** Whether there should be a list that can be believed. */
  isListed: boolean;
}

/** What is remembered of a dealer, and what its visitors see. */
export interface Recalled {
  /** What is published of it; only where lists are wanted, and where its record is believed. */
  published?: PublishedDealer | undefined;
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
  /** Milliseconds since 1970. */
  now: number;
  /** Records of this machine, and of what machines share: whoever writes there runs builds. */
  own: readonly RecordFiles[];
  /**
   * Where what visitors see of a dealer lies, in the published folder or at the site's address.
   * Without it, nobody asks.
   */
  published?: ((dealer: Dealer) => PublishedRecords) | undefined;
  /** Lists of published files are wanted, if they were searched for these keys, see `listMarkOf`. */
  lists?: { searched: string } | undefined;
}

/** A published site, as far as it is asked about a dealer. */
export interface PublishedRecords {
  files: RecordFiles;
  /** What `DEALER/media.json` lists: of a site without records, or with one that cannot be read. */
  list(): Promise<PublishedVehicles>;
}

const liveOf = ({ record }: { record: DealerRecord }): PublishedVehicles => ({
  state: 'live',
  vrms: record.vehicles.map(({ vrm }) => vrm),
});

/**
 * Reads what is remembered of dealers, wherever it lies. What is published counts, if its mark says
 * that a build with the dealer's key made it: so every disk remembers the same, also where a cache is
 * older, or newer than what came to be published. Else the own record that was confirmed last does.
 * A published one without a good mark is not even read, since nobody knows how much there would be of
 * it; that it is there, and what the site lists, may make a build more careful.
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
      if (one && this.#isNewer(one, last)) last = one;
    }
    const published = this.#options.published?.(dealer);
    if (!published) return { last, live: undefined, notes };
    const { times, why, unreachable } = await this.#timesOf(published.files);
    if (unreachable) return { last, live: { state: 'unknown', why: String(why) }, notes };
    if (why !== undefined) notes.push(`The published record is not used: ${TIMES}: ${why}.`);
    const entry = times.get(dealer.id);
    if (!entry) {
      const live = await published.list();
      if (!last && why === undefined && live.state === 'live') notes.push(NO_RECORD);
      return { last, live, notes };
    }
    const about = { site: this.#options.site, dealer: dealer.id, ...entry };
    const believed = isMarked(dealer.apiKey, about, entry.mark);
    const { confirmed } = entry;
    if (last?.hash === entry.record) {
      // The same, told apart by nothing but when it was confirmed.
      if (believed) last = { ...last, confirmed };
      const its = believed && (await this.#published(dealer, entry, last, published));
      return { last, live: liveOf(last), notes, ...(its && { published: its }) };
    }
    const read = believed && (await readRecord(published.files, dealer.id, entry.record));
    if (read && 'record' in read) {
      last = { confirmed, ...read };
      const its = await this.#published(dealer, entry, last, published);
      return { last, live: liveOf(last), notes, ...(its && { published: its }) };
    }
    const reason = read ? `${read.why}.` : unbelieved(dealer.apiKey);
    notes.push(`The published record is not used: ${reason}`);
    return { last, live: asLive(await published.list()), notes };
  }

  /** What is published of a dealer whose record is believed. */
  async #published(
    { id, apiKey }: Dealer,
    { files, listMark }: ConfirmedRecord,
    { record, sums, pieces }: GoodRecord,
    published: PublishedRecords,
  ): Promise<PublishedDealer | undefined> {
    const { site, own, lists } = this.#options;
    if (!lists) return undefined;
    const its = { record, sums, pieces };
    const isListed = isListMarked(apiKey, { site, dealer: id, files, ...lists }, listMark);
    for (const place of isListed ? [...own, published.files] : []) {
      const found = await place.read(filesName(id));
      if ('why' in found || bytesHash(found.bytes) !== files) continue;
      const list = readFiles(found.bytes);
      if (list) return { ...its, isListed, list: { ...list, bytes: found.bytes } };
    }
    return { ...its, isListed, list: undefined };
  }

  /** What the times of a place are called, and which dealers they name; undefined where it has none. */
  async timesAt(files: RecordFiles): Promise<{ hash: string; dealers: number[] } | undefined> {
    const { times, hash } = await this.#timesOf(files);
    return hash === undefined ? undefined : { hash, dealers: [...times.keys()] };
  }

  /** A time in the future says only that a clock was wrong, so any other comes before it. */
  #isNewer(one: { confirmed: string }, other: { confirmed: string } | undefined): boolean {
    const { now } = this.#options;
    const rank = ({ confirmed }: typeof one) => {
      const time = Date.parse(confirmed);
      return time > now ? 0 : time;
    };
    return !other || rank(one) > rank(other);
  }

  async #own(files: RecordFiles, { id }: Dealer, notes: string[]): Promise<Remembered | undefined> {
    const { times, why } = await this.#timesOf(files);
    const entry = times.get(id);
    const read = await readRecord(files, id);
    if ('why' in read) {
      if (!read.missing) notes.push(`The kept record is not used: ${read.why}.`);
      return undefined;
    }
    if (!entry) {
      const reason = why === undefined ? 'nothing says when it was confirmed' : `${TIMES}: ${why}`;
      notes.push(`The kept record is not used: ${reason}.`);
      return undefined;
    }
    // A build that was killed between writing the two has confirmed it later than this says.
    return { ...read, confirmed: entry.confirmed };
  }

  #timesOf(files: RecordFiles): Promise<ReadTimes> {
    let times = this.#times.get(files);
    if (!times) {
      times = files.read(TIMES).then(timesIn);
      this.#times.set(files, times);
    }
    return times;
  }
}

interface ReadTimes {
  times: Times;
  /** Hash of the file, where it can be read. */
  hash?: string;
  /** Why they cannot be read, although they are there. */
  why?: string;
  /** Nobody can say whether they are there. */
  unreachable?: boolean | undefined;
}

const NO_TIMES: Times = new Map();

function timesIn(found: FoundFile): ReadTimes {
  if ('bytes' in found) {
    const times = readTimes(found.bytes);
    return times
      ? { times, hash: bytesHash(found.bytes) }
      : { times: NO_TIMES, why: 'it is damaged, or something else' };
  }
  const { why, missing, unreachable } = found;
  return missing ? { times: NO_TIMES } : { times: NO_TIMES, why, unreachable };
}

/** What is listed of a dealer that something else says is live, whatever is gone of the list. */
export function asLive(list: PublishedVehicles): PublishedVehicles {
  if (list.state === 'live') return list;
  const why = list.state === 'absent' ? 'the list of its vehicles is gone' : list.why;
  return { state: 'live', vrms: [], why };
}

const NO_RECORD =
  'The published site has pages of this dealer, but no record: they are only counted. A build makes the record.';

const unbelieved = (key: Secret): string =>
  isMarkable(key)
    ? 'no build with this key and this site.url made it. After a change of either that is so for one night.'
    : 'the key is too short for a mark.';
