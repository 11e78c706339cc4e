import { cut } from '../../lib/cut.ts';
import { xmlText } from '../../lib/html.ts';
import type { VideoView } from '../views/gallery-types.ts';
import type { SiteAddress } from '../views/site-url.ts';
import type { DealerSummary, VehicleSummary } from '../views/summaries.ts';
import type { ListedVehicle } from '../views/vehicle-view.ts';
import type { GeneratedFile, PageView } from '../views/view.ts';

/** Vehicles in one file. With 100 pictures each, it stays well below 50 MB and 50,000 URLs. */
const VEHICLES_PER_FILE = 2500;

const urlset = ({ languages }: Pick<SiteAddress, 'languages'>): string =>
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"${languages.length > 0 ? ' xmlns:xhtml="http://www.w3.org/1999/xhtml"' : ''} xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">`;

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';

function videoXml(video: VideoView, view: ListedVehicle, origin: string): string {
  const { poster, embed, player, title } = video;
  // Thumbnail, title, description and URL are required. Without one of them, there is no entry.
  if (!poster || title.trim() === '') return '';
  return [
    '<video:video>',
    `<video:thumbnail_loc>${xmlText(`${origin}${poster.src}`)}</video:thumbnail_loc>`,
    `<video:title>${xmlText(cut(title, 100))}</video:title>`,
    `<video:description>${xmlText(cut(view.description, 2000))}</video:description>`,
    `<video:player_loc>${xmlText(embed?.src ?? player)}</video:player_loc>`,
    '</video:video>',
  ].join('');
}

type Page = Pick<PageView, 'canonical' | 'languages'>;

function urlXml({ canonical, languages }: Page, lastmod: string | undefined, inner = ''): string {
  const date = lastmod ? `<lastmod>${lastmod}</lastmod>` : '';
  const others = languages
    .map(
      ({ lang, href }) =>
        `<xhtml:link rel="alternate" hreflang="${lang}" href="${xmlText(href)}"/>`,
    )
    .join('');
  return `<url><loc>${xmlText(canonical)}</loc>${date}${others}${inner}</url>\n`;
}

/** The `<url>` of a vehicle, with its pictures and videos. @param changed its last change. */
export function vehicleSitemapXml(
  view: ListedVehicle,
  changed: string,
  { origin }: SiteAddress,
): string {
  // Google reads 1000 for a page, and a vehicle has at most MOST_ITEMS.
  const pictures = view.pictures
    .map(
      ({ src }) =>
        `<image:image><image:loc>${xmlText(`${origin}${src}`)}</image:loc></image:image>`,
    )
    .join('');
  const videos = view.videos.map((video) => videoXml(video, view, origin)).join('');
  return urlXml(view, changed, `${pictures}${videos}`);
}

/** The latest of some dates in ISO 8601. */
export const latest = (dates: readonly (string | undefined)[]): string | undefined =>
  dates.reduce((newest, date) => (date && (!newest || date > newest) ? date : newest), undefined);

const newestOf = (vehicles: readonly VehicleSummary[]): string | undefined =>
  latest(vehicles.map(({ changed }) => changed));

/** `DEALER/sitemap.xml`, and more files if one would be too large. @param lists with their vehicles. */
export function* dealerSitemaps(
  slug: string,
  lists: readonly { views: readonly PageView[]; vehicles: readonly VehicleSummary[] }[],
  vehicles: readonly VehicleSummary[],
  place: SiteAddress,
): Iterable<GeneratedFile & DealerSummary['sitemaps'][number]> {
  const files = Math.max(1, Math.ceil(vehicles.length / VEHICLES_PER_FILE));
  for (let index = 0; index < files; index++) {
    const part = vehicles.slice(index * VEHICLES_PER_FILE, (index + 1) * VEHICLES_PER_FILE);
    const pages = (index === 0 ? lists : []).flatMap((list) => {
      const date = newestOf(list.vehicles);
      // A list that is also the front page is in the sitemap of the front pages.
      const ownPages = list.views.filter((view) => view.canonical === `${place.origin}${view.url}`);
      return ownPages.map((page) => urlXml(page, date));
    });
    const file = `${place.folder}/${slug}/sitemap${index === 0 ? '' : `-${index + 1}`}.xml`;
    yield {
      file,
      loc: `${place.origin}${place.root}${file}`,
      lastmod: newestOf(part),
      content: `${XML}${urlset(place)}\n${pages.join('')}${part.map(({ sitemapXml }) => sitemapXml).join('')}</urlset>\n`,
    };
  }
}

/**
 * `sitemap.xml`, an index of a sitemap for each dealer, and one for front pages and other pages of the site. Dates
 * are from the data, so the same data gives the same files.
 *
 * @param otherPages pages of makes, legal texts and custom pages.
 */
export function* siteSitemaps(
  fronts: readonly Page[],
  otherPages: readonly (Page & { noindex: boolean })[],
  dealers: readonly Pick<DealerSummary, 'sitemaps'>[],
  place: SiteAddress,
): Iterable<GeneratedFile> {
  const all = latest(dealers.flatMap(({ sitemaps }) => sitemaps.map(({ lastmod }) => lastmod)));
  const pages = '/sitemap-front.xml';
  // Their last change is not known, so they have no date.
  const others = otherPages.filter(({ noindex }) => !noindex);
  yield {
    file: pages,
    content: `${XML}${urlset(place)}\n${fronts.map((front) => urlXml(front, all)).join('')}${others.map((page) => urlXml(page, undefined)).join('')}</urlset>\n`,
  };
  const entries = [
    { loc: `${place.origin}${place.base}${pages}`, lastmod: all },
    ...dealers.flatMap(({ sitemaps }) => sitemaps),
  ];
  const lines = entries.map(
    ({ loc, lastmod }) =>
      `<sitemap><loc>${xmlText(loc)}</loc>${lastmod ? `<lastmod>${lastmod}</lastmod>` : ''}</sitemap>\n`,
  );
  yield {
    file: '/sitemap.xml',
    content: `${XML}<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${lines.join('')}</sitemapindex>\n`,
  };
}
