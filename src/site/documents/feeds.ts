import { Feed } from 'feed';
import { escapeHtml, xmlSafe } from '../../lib/html.ts';
import type { ListView } from '../views/list-types.ts';
import { newestFirst } from '../views/list-views.ts';
import type { SiteAddress } from '../views/site-url.ts';
import type { VehicleSummary } from '../views/summaries.ts';
import type { GeneratedFile } from '../views/view.ts';
import { latest } from './sitemap.ts';

const newerFirst = newestFirst<VehicleSummary>(
  ({ card }) => card.updated.iso,
  ({ slug }) => slug,
);

/** Vehicles in a feed. A small number, because readers request feeds often. */
const ENTRIES = 50;

function contentOf({ card, share, canonical }: VehicleSummary): string {
  const media = [card.picturesText, card.videosText].filter((text) => text !== '').join(', ');
  const picture = share
    ? `<p><a href="${escapeHtml(canonical)}"><img src="${escapeHtml(share.image)}" width="${share.width}" height="${share.height}" alt="${escapeHtml(share.alt)}"></a></p>`
    : '';
  const facts = [card.price, media].filter((text) => text !== '').join(' · ');
  return `${picture}<p>${escapeHtml(facts)}</p>`;
}

/** `feed.xml` (Atom) and `feed.json` (JSON Feed) of a dealer's newest vehicles. */
export function dealerFeeds(
  list: ListView,
  vehicles: readonly VehicleSummary[],
  { place, lang }: { place: SiteAddress; lang: string },
): GeneratedFile[] {
  const home = `${place.origin}${list.dealer.url}`;
  const folder = `${place.origin}${place.root}/${list.dealer.slug}/`;
  // Lists may have another order.
  const entries = [...vehicles].sort(newerFirst).slice(0, ENTRIES);
  const feed = new Feed({
    id: folder,
    title: xmlSafe(list.dealer.name),
    // Required by Atom.
    author: { name: xmlSafe(list.dealer.name), link: home },
    description: xmlSafe(list.description),
    link: home,
    language: lang,
    // Without a date the library uses the clock, and builds of the same data would differ.
    updated: new Date(latest(entries.map(({ changed }) => changed)) ?? 0),
    feedLinks: { atom: `${folder}feed.xml`, json: `${folder}feed.json` },
    copyright: '',
  });
  for (const entry of entries) {
    const { canonical, fullName, card, share, changed } = entry;
    const title = [fullName, card.price].filter((text) => text !== '').join(', ');
    feed.addItem({
      id: canonical,
      link: canonical,
      title: xmlSafe(title),
      date: new Date(changed),
      ...(share && { image: share.image }),
      content: xmlSafe(contentOf(entry)),
    });
  }
  const json = feed.json1();
  // The library declares titles in Atom as HTML, and derives the type of a picture from its name.
  for (const item of feed.items) item.title = escapeHtml(item.title);
  const atom = feed.atom1().replaceAll(' type="image/jpg"', ' type="image/jpeg"');
  return [
    { file: `/${list.dealer.slug}/feed.xml`, content: `${atom}\n` },
    { file: `/${list.dealer.slug}/feed.json`, content: `${json}\n` },
  ];
}
