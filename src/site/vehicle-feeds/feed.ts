/** Files with all vehicles for advertising platforms: the rows of each dealer, and the files made from them. */
import { z } from 'zod';
import { type FeedConfig, feedName } from '../../config/feed-schema.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { quoted } from '../../lib/csv.ts';
import { cut } from '../../lib/cut.ts';
import { xmlText } from '../../lib/html.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { genericProfile } from './generic.ts';
import { googleProfile } from './google.ts';
import { metaProfile } from './meta.ts';
import type { Offer } from './offer.ts';
import type { Profile } from './profile.ts';

const count = z.int().min(0);

/** Counts of a feed's vehicles. */
export const feedCountsSchema = z.strictObject({
  file: z.string().describe('Name of the file, below /feeds/ or the folder of private feeds.'),
  public: z.boolean(),
  vehicles: count.describe('Vehicles of the site.'),
  used: count.describe('Vehicles in the feed.'),
  notForSale: count.describe('Vehicles that are sold or reserved and therefore left out.'),
  missing: z
    .record(z.string(), count)
    .describe('Vehicles that lack a required column and are left out, by column.'),
});

export type FeedCounts = z.infer<typeof feedCountsSchema>;

/** Rows of one dealer for one feed, as plain data. */
export interface FeedRows extends Pick<FeedCounts, 'vehicles' | 'notForSale' | 'missing'> {
  /** Index in the configuration. */
  feed: number;
  dealer: number;
  /** The id of each vehicle, and its cells. */
  rows: [id: string, cells: string[]][];
}

export interface FeedFile extends FeedCounts {
  content: string;
}

function profileOf(feed: FeedConfig): Profile {
  switch (feed.profile) {
    case 'google-vehicle-ads':
      return googleProfile(feed);
    case 'meta-automotive':
      return metaProfile(feed);
    case 'generic':
      return genericProfile(feed);
  }
}

/** Removes line breaks and control characters, so that no reader can take a part of a text for another cell. */
const cellText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s\ufeff\ufffe\uffff]+/gu, ' ')
    .trim();

/** The rows of a dealer for each feed, sorted by the URL of the page. */
export function feedRows(
  feeds: readonly FeedConfig[],
  dealer: number,
  offers: readonly Offer[],
): FeedRows[] {
  const sorted = [...offers].sort((a, b) => (a.url < b.url ? -1 : 1));
  return feeds.map((feed, index) => {
    const { columns, statuses } = profileOf(feed);
    const result: FeedRows = {
      feed: index,
      dealer,
      vehicles: offers.length,
      notForSale: 0,
      missing: {},
      rows: [],
    };
    for (const offer of sorted) {
      if (!statuses.includes(offer.facts.status ?? 'available')) {
        result.notForSale++;
        continue;
      }
      const cells = columns.map(({ value, most }) => cut(cellText(value(offer) ?? ''), most));
      const missing = columns.filter(({ required }, at) => required && cells[at] === '');
      for (const { name } of missing) result.missing[name] = (result.missing[name] ?? 0) + 1;
      // Columns of a generic feed need not identify a vehicle.
      const id = feed.profile === 'generic' ? offer.url : offer.id;
      if (missing.length === 0) result.rows.push([id, cells]);
    }
    return result;
  });
}

const element = (name: string, text: string): string =>
  text === '' ? '' : `<${name}>${xmlText(text)}</${name}>`;

function fileText(names: readonly string[], rows: readonly string[][], ending: Profile['ending']) {
  if (ending === 'xml') {
    const vehicles = rows.map(
      (cells) =>
        `<vehicle>${cells.map((text, at) => element(names[at] ?? '', text)).join('')}</vehicle>\n`,
    );
    return `<?xml version="1.0" encoding="UTF-8"?>\n<vehicles>\n${vehicles.join('')}</vehicles>\n`;
  }
  const separator = ending === 'csv' ? ',' : '\t';
  // Readers of TSV need quotes only around a quote: cells have no tabs and no line breaks.
  const cell = (text: string) => (ending === 'csv' || text.includes('"') ? quoted(text) : text);
  return [names, ...rows].map((cells) => `${cells.map(cell).join(separator)}\r\n`).join('');
}

/** Name in `missing` for vehicles whose id another vehicle of the feed has. Platforms would ignore both. */
const REPEATED = 'unique id';

function fileOf(
  feed: FeedConfig,
  file: string,
  parts: readonly FeedRows[],
  { columns, ending }: Profile,
): FeedFile {
  const sum = (count: (part: FeedRows) => number) =>
    parts.reduce((total, part) => total + count(part), 0);
  const missing: Record<string, number> = {};
  for (const [name, count] of parts.flatMap((part) => Object.entries(part.missing)))
    missing[name] = (missing[name] ?? 0) + count;
  const byId = new Map<string, string[]>();
  for (const [id, cells] of parts.flatMap(({ rows }) => rows)) {
    if (byId.has(id)) missing[REPEATED] = (missing[REPEATED] ?? 0) + 1;
    else byId.set(id, cells);
  }
  const rows = [...byId.values()];
  const names = columns.map(({ name }) => name);
  return {
    file: `${file}.${ending}`,
    public: feed.public,
    vehicles: sum(({ vehicles }) => vehicles),
    used: rows.length,
    notForSale: sum(({ notForSale }) => notForSale),
    missing,
    content: fileText(names, rows, ending),
  };
}

/** The files of all feeds. The same rows give the same bytes, even if other processes made them. */
export function feedFiles(
  { feeds, dealers }: Pick<LoadedConfig, 'feeds' | 'dealers'>,
  parts: readonly FeedRows[],
): FeedFile[] {
  return feeds.flatMap((feed, index) => {
    const profile = profileOf(feed);
    const dealerParts = dealers.flatMap(({ id }) =>
      parts.filter((part) => part.feed === index && part.dealer === id),
    );
    const name = feedName(feed);
    if (feed.dealers === 'together') return [fileOf(feed, name, dealerParts, profile)];
    return dealers.map(({ id, slug }) => {
      const ownParts = dealerParts.filter(({ dealer }) => dealer === id);
      return fileOf(feed, `${name}/${slug}`, ownParts, profile);
    });
  });
}

/** `Feed google.tsv: 31 of 40 vehicles; 9 lack body_style`. */
export function feedText({ file, vehicles, used, notForSale, missing }: FeedCounts): string {
  const gaps = Object.entries(missing)
    .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .map(([name, count]) => `${count} ${count === 1 ? 'lacks' : 'lack'} ${name}`);
  const parts = [...(notForSale > 0 ? [`${notForSale} not for sale`] : []), ...gaps];
  const start = `Feed ${file}: ${used} of ${countText(vehicles, 'vehicle')}`;
  return [start, ...(parts.length > 0 ? [parts.join(', ')] : [])].join('; ');
}
