import { Feed } from 'feed';
import type { Place } from './place.ts';
import { escapeHtml } from './snippet.ts';
import type { ListView, SiteFile, VehicleView } from './view.ts';
import { xmlSafe } from './xml.ts';

/** The newest vehicles of a feed: readers ask for it all the time. */
const ENTRIES = 50;

function contentOf(view: VehicleView): string {
  const media = [view.picturesText, view.videos.length > 0 ? view.videosText : '']
    .filter((text) => text !== '')
    .join(', ');
  const picture = view.share
    ? `<p><a href="${escapeHtml(view.canonical)}"><img src="${escapeHtml(view.share.image)}" width="${view.share.width}" height="${view.share.height}" alt="${escapeHtml(view.share.alt)}"></a></p>`
    : '';
  const facts = [view.price, media].filter((text) => text !== '').join(' · ');
  return `${picture}<p>${escapeHtml(facts)}</p>`;
}

/** `feed.xml` (Atom) and `feed.json` (JSON Feed) of a dealer's newest vehicles. */
export function dealerFeeds(
  list: ListView,
  vehicles: readonly VehicleView[],
  { place, lang }: { place: Place; lang: string },
): SiteFile[] {
  const home = `${place.origin}${list.dealer.url}`;
  const entries = vehicles.slice(0, ENTRIES);
  const feed = new Feed({
    id: home,
    title: xmlSafe(list.dealer.name),
    description: xmlSafe(list.description),
    link: home,
    language: lang,
    // Without one the library takes the clock's, and no two builds would be the same.
    updated: new Date(entries[0]?.updated?.iso ?? 0),
    feedLinks: { atom: `${home}feed.xml`, json: `${home}feed.json` },
    copyright: '',
  });
  for (const view of entries) {
    const title = [view.fullName, view.price].filter((text) => text !== '').join(', ');
    feed.addItem({
      id: view.canonical,
      link: view.canonical,
      title: xmlSafe(title),
      date: new Date(view.updated?.iso ?? 0),
      ...(view.share && { image: view.share.image }),
      content: xmlSafe(contentOf(view)),
    });
  }
  return [
    { file: `/${list.dealer.slug}/feed.xml`, content: `${feed.atom1()}\n` },
    { file: `/${list.dealer.slug}/feed.json`, content: `${feed.json1()}\n` },
  ];
}
