import type { Secret } from '../config/secret.ts';
import type { PublishedVehicles } from '../stock/refusals.ts';
import { type FoundFile, type GoodRecord, type RecordFiles, readRecord } from './file.ts';
import { bytesHash, filesName, type PublishedFiles, readFiles } from './files.ts';
import { isMark, listMarkOf, markOf, signingKeys } from './mark.ts';
import type { DealerRecord } from './schema.ts';
import { type ConfirmedRecord, readTimes, TIMES, type Times } from './times.ts';

/** A dealer's record, and when its response was confirmed. */
interface DatedRecord extends Pick<ConfirmedRecord, 'confirmed'>, GoodRecord {
  /** See `TimesNotes`. */
  first?: string;
}

/** A dealer's published files that can be trusted without reading them. */
export interface PublishedDealer extends Pick<GoodRecord, 'record' | 'pieces'> {
  /** The list and its bytes. Undefined if it has no valid mark or cannot be read. */
  list: (PublishedFiles & { bytes: Uint8Array }) | undefined;
  /** Whether the list has a valid mark. */
  isListed: boolean;
}

/** The recorded state of a dealer, and the vehicles on its published pages. */
export interface RecordedDealer {
  /** Its published files. Only set if lists are requested and the published record has a valid mark. */
  published?: PublishedDealer;
  /** The newest record that can be trusted. */
  last: DatedRecord | undefined;
  /** Undefined if the published site was not read. */
  live: PublishedVehicles | undefined;
  /**
   * When the first build of its records ran (possibly this build), if no build has read a published site since.
   * See `TimesNotes`. Null if the published site was read.
   */
  first?: string | null;
  /** Notes for the report: records that are damaged or cannot be trusted. */
  notes: string[];
}

interface Dealer {
  id: number;
  slug: string;
  apiKey: Secret;
}

export interface MemoryOptions {
  /** URL of the site, which marks sign. */
  site: string;
  /** Key for signing records instead of the dealers' keys, see `signingKeys`. */
  siteSecret?: Secret;
  /** Milliseconds since 1970. */
  now: number;
  /** Records in the cache of this machine, which only builds write to. */
  cached: RecordFiles;
  /** The published site, in the published folder or at the site's URL. Without it, the published site is not read. */
  published?: (dealer: Dealer) => PublishedRecords | Promise<PublishedRecords>;
  /** Reads lists of published files that were searched for these keys, see `listMarkOf`. */
  lists?: { searched: string };
}

/** A published site as a source of a dealer's record. */
export interface PublishedRecords {
  files: RecordFiles;
  /** Whether it is a folder on this disk. Its site is possibly not deployed yet. */
  isFolder?: boolean;
  /** The vehicles of `DEALER/media.json`, for sites whose record is missing or cannot be read. */
  list(): Promise<PublishedVehicles>;
}

const liveOf = ({ record }: { record: DealerRecord }): PublishedVehicles => ({
  state: 'live',
  vrms: record.vehicles.map(({ vrm }) => vrm),
});

/**
 * Reads the records of dealers from the cache and the published site. The published record is used if its mark
 * proves that a build with a known key made it. So all machines get the same result, even if their caches are
 * older or newer than the published site. Otherwise the cached record is used. A published record without a valid
 * mark is not read, because its size is unknown. But its existence and the site's lists can make a build stricter.
 */
export class Memory {
  /** Ids of dealers on the published site, including dealers that are no longer configured. */
  readonly publishedIds = new Set<number>();
  readonly #options: MemoryOptions;
  readonly #times = new Map<RecordFiles, Promise<ReadTimes>>();

  constructor(options: MemoryOptions) {
    this.#options = options;
  }

  /** @throws only if reading is aborted. */
  async recall(dealer: Dealer): Promise<RecordedDealer> {
    const notes: string[] = [];
    const last = await this.#cached(dealer, notes);
    const published = await this.#options.published?.(dealer);
    if (!published) return { last, live: undefined, notes };
    const recorded = await this.#recallPublished(dealer, published, { last, notes });
    return { ...recorded, first: await this.#firstOf(published, recorded.live, last) };
  }

  /** Chooses between the cached and the published record. */
  async #recallPublished(
    dealer: Dealer,
    published: PublishedRecords,
    { last, notes }: Pick<RecordedDealer, 'last' | 'notes'>,
  ): Promise<RecordedDealer> {
    const { times, why, unreachable } = await this.#timesOf(published.files);
    if (unreachable) return { last, live: { state: 'unknown', why: String(why) }, notes };
    if (why !== undefined) notes.push(`The published record is not used: ${TIMES}: ${why}.`);
    for (const id of times.keys()) this.publishedIds.add(id);
    const entry = times.get(dealer.id);
    if (!entry) {
      const live = await published.list();
      if (!last && why === undefined && live.state === 'live') notes.push(NO_RECORD);
      return { last, live, notes };
    }
    const isTrusted = this.#isSigned(dealer, entry);
    const { confirmed, record: signed } = entry;
    const read =
      last?.hash === signed
        ? last
        : isTrusted && (await readRecord(published.files, dealer.id, { signed, isOnly: true }));
    if (read && 'record' in read) {
      if (!isTrusted) return { last, live: liveOf(read), notes };
      // Of equal records, the time of confirmation can differ.
      const fromSite = await this.#published(dealer, entry, read, published);
      return { last: { ...read, confirmed }, live: liveOf(read), notes, published: fromSite };
    }
    const untrusted = this.#keysOf(dealer).length > 0 ? OTHER_KEY : WEAK_KEY;
    const reason = read ? `${read.why}.` : untrusted;
    notes.push(`The published record is not used: ${reason}`);
    return { last, live: asLive(await published.list()), notes };
  }

  /** See `RecordedDealer.first`. */
  async #firstOf(
    { files, isFolder = false }: PublishedRecords,
    live: PublishedVehicles | undefined,
    last: DatedRecord | undefined,
  ): Promise<string | null | undefined> {
    const { hash, first } = await this.#timesOf(files);
    if (isFolder) return (hash === undefined ? last?.first : first) ?? null;
    if (hash !== undefined || live?.state === 'live') return null;
    return last ? last.first : new Date(this.#options.now).toISOString();
  }

  /** The published files of a dealer whose record has a valid mark. */
  async #published(
    dealer: Dealer,
    { files, listMark }: ConfirmedRecord,
    { record, pieces }: GoodRecord,
    published: PublishedRecords,
  ): Promise<PublishedDealer | undefined> {
    const { site, cached, lists } = this.#options;
    if (!lists) return undefined;
    const { id } = dealer;
    const about = { site, dealer: id, files, ...lists };
    const isListed = this.#keysOf(dealer).some((key) => isMark(listMark, listMarkOf(key, about)));
    for (const source of isListed ? [cached, published.files] : []) {
      const file = await source.read(filesName(id));
      if ('why' in file || bytesHash(file.bytes) !== files) continue;
      const list = readFiles(file.bytes);
      if (list) return { record, pieces, isListed, list: { ...list, bytes: file.bytes } };
    }
    return { record, pieces, isListed, list: undefined };
  }

  async #cached(dealer: Dealer, notes: string[]): Promise<DatedRecord | undefined> {
    const { cached } = this.#options;
    const { times, why, first } = await this.#timesOf(cached);
    const entry = times.get(dealer.id);
    const isTrusted = entry !== undefined && this.#isSigned(dealer, entry);
    const result = await readRecord(cached, dealer.id, {
      signed: isTrusted ? entry.record : undefined,
    });
    if ('why' in result) {
      if (!result.missing) notes.push(`The cached record is not used: ${result.why}.`);
      return undefined;
    }
    if (!entry) {
      const reason =
        why === undefined ? 'the time of its last response is unknown' : `${TIMES}: ${why}`;
      notes.push(`The cached record is not used: ${reason}.`);
      return undefined;
    }
    // This time is too early if a build was killed between writing record and times.
    return { ...result, confirmed: entry.confirmed, first };
  }

  #keysOf({ apiKey }: Dealer): Secret[] {
    return signingKeys(apiKey, this.#options.siteSecret);
  }

  /** Whether a build with a known key signed an entry of the times. */
  #isSigned(dealer: Dealer, entry: ConfirmedRecord): boolean {
    const about = { site: this.#options.site, dealer: dealer.id, ...entry };
    return this.#keysOf(dealer).some((key) => isMark(entry.mark, markOf(key, about)));
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
  /** Hash of the file, if it can be read. */
  hash?: string;
  /** See `TimesNotes`. */
  first?: string;
  /** Why existing times cannot be read. */
  why?: string;
  /** Whether it is unknown if they exist. */
  unreachable?: boolean;
}

const NO_TIMES: Times = new Map();

function timesIn(file: FoundFile): ReadTimes {
  if ('bytes' in file) {
    const content = readTimes(file.bytes);
    return content
      ? { ...content, hash: bytesHash(file.bytes) }
      : { times: NO_TIMES, why: 'it is damaged or unrelated' };
  }
  const { why, missing, unreachable } = file;
  return missing ? { times: NO_TIMES } : { times: NO_TIMES, why, unreachable };
}

/** The vehicles of a dealer that is known to be live, even if the list is missing. */
export function asLive(list: PublishedVehicles): PublishedVehicles {
  if (list.state === 'live') return list;
  const why = list.state === 'absent' ? 'its list of vehicles is missing' : list.why;
  return { state: 'live', vrms: [], why };
}

const NO_RECORD =
  'The published site has pages of this dealer, but no record: they are only counted. A build makes the record.';

/** Why a record has no valid signature. */
const OTHER_KEY =
  'no build with this key and this site.url made it. This is expected in one build after the key, SITE_SECRET or site.url changed.';
const WEAK_KEY = 'the key is too easy to guess to sign it. Set SITE_SECRET.';
