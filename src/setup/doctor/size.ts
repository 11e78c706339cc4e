import {
  exceeded,
  HOST_IDS,
  HOSTS,
  type HostLimits,
  hostOf,
  type SiteSize,
} from '../../config/hosts.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { localesOf } from '../../config/locales.ts';
import { legalFiles } from '../../render/legal-texts.ts';
import { netlifyForms } from '../../site/documents/netlify-forms.ts';
import { type MakeCount, makesIn, makesOf, withPage } from '../../site/views/makes.ts';
import type { DealerFacts } from '../../stock/facts.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import { type Finding, finding } from '../findings.ts';

/**
 * Files and bytes of the parts of a site, measured. A vehicle: page, embed page, media.json and
 * oembed.json, and its places in lists, feeds and sitemap.
 */
const VEHICLE = { files: 4, bytes: 18_500, bytesPerMedia: 1_500 };
/** Finder, lines for other websites, media.json, index.json, plates.json, two feeds, sitemap, record and list of files of a dealer. */
const DEALER = { files: 10, bytes: 11_500 };
/** Front page, 404, style sheet, scripts, two icons, manifest, schemas, robots.txt, headers, sitemaps, times, list of files. */
const SITE = { files: 24, bytes: 60_000 };
/** A style sheet in a dealer's colour, or its logo. */
const BRAND = { files: 1, bytes: 17_000 };
/** The icon of a dealer with a colour or a logo. */
const ICON = { files: 1, bytes: 2_000 };
/** What a further language has of them: a vehicle's page, embed page and oembed.json; finder, lines, index and sitemap of a dealer. */
const TRANSLATED = {
  vehicle: { files: 3, bytes: 13_000, bytesPerMedia: 1_000 },
  dealer: { files: 4, bytes: 10_500 },
  front: { files: 1, bytes: 10_000 },
};
/** The page of saved vehicles, in each language. */
const SAVED = { files: 1, bytes: 6_000 };
/** The page by which Netlify learns of forms. */
const FORMS = { files: 1, bytes: 1_500 };
/** Of a vehicle, where each has one. */
const STICKER = { files: 1, bytes: 6_000 };
const LIST = { files: 1, bytes: 10_000 };
/** Bytes of a vehicle in the largest file that lists all of a dealer. */
const LISTED = 800;

/** Pages of makes, of dealers and of the group; from dealers' own lists. */
function makePages(
  { site, dealers, hasOneDealer }: LoadedConfig,
  vehicles: readonly Vehicle[],
  facts: ReadonlyMap<number, DealerFacts> | undefined,
): number {
  const pages = (makes: readonly MakeCount[], perPage: number) =>
    withPage(makes).reduce((sum, make) => sum + Math.ceil(make.vehicles / perPage), 0);
  const byDealer = Map.groupBy(vehicles, ({ dealerId }) => dealerId);
  const makes = dealers.map(({ id }) => makesIn(byDealer.get(id) ?? [], facts?.get(id)));
  const ofGroup = hasOneDealer ? 0 : withPage(makesOf(makes.flat())).length;
  return makes.reduce((sum, of) => sum + pages(of, site.perPage), ofGroup);
}

/**
 * How large a site will be, before it is built. A test holds it against a real build.
 *
 * @param facts what dealers' own lists say, by dealer id.
 */
export function expectedSize(
  config: LoadedConfig,
  vehicles: readonly Vehicle[],
  thumbnails: { count: number; bytes: number; largest: number },
  facts?: ReadonlyMap<number, DealerFacts>,
): SiteSize {
  const perDealer = new Map(config.dealers.map(({ id }) => [id, 0]));
  let media = 0;
  for (const vehicle of vehicles) {
    perDealer.set(vehicle.dealerId, (perDealer.get(vehicle.dealerId) ?? 0) + 1);
    media += vehicle.media.length;
  }
  const counts = [...perDealer.values()];
  const lists = counts.reduce(
    (sum, count) => sum + Math.max(1, Math.ceil(count / config.site.perPage)),
    0,
  );
  const makes = makePages(config, vehicles, facts);
  const more = makes + legalFiles(config).length;
  const fonts = config.site.font === undefined ? 0 : 1;
  const fullest = Math.max(0, ...counts);
  const colours = new Set(config.dealers.flatMap(({ colour }) => colour?.toLowerCase() ?? []));
  const stickers = config.site.sticker ? vehicles.length : 0;
  const saved = config.site.favourites ? 1 : 0;
  const forms = netlifyForms(config).length;
  const further = localesOf(config.site).length - 1;
  const icons = config.dealers.filter(({ colour, logo }) => colour ?? logo).length;
  const brands = colours.size + config.dealers.filter(({ logo }) => logo).length;
  return {
    files:
      thumbnails.count +
      vehicles.length * VEHICLE.files +
      stickers * STICKER.files +
      (lists + more) * LIST.files +
      counts.length * DEALER.files +
      brands * BRAND.files +
      icons * ICON.files +
      SITE.files +
      fonts +
      saved * SAVED.files +
      forms * FORMS.files +
      further *
        (vehicles.length * TRANSLATED.vehicle.files +
          stickers * STICKER.files +
          (lists + makes) * LIST.files +
          counts.length * TRANSLATED.dealer.files +
          saved * SAVED.files +
          TRANSLATED.front.files),
    bytes:
      thumbnails.bytes +
      vehicles.length * VEHICLE.bytes +
      stickers * STICKER.bytes +
      media * VEHICLE.bytesPerMedia +
      (lists + more) * LIST.bytes +
      counts.length * DEALER.bytes +
      brands * BRAND.bytes +
      icons * ICON.bytes +
      SITE.bytes +
      saved * SAVED.bytes +
      forms * FORMS.bytes +
      further *
        (vehicles.length * TRANSLATED.vehicle.bytes +
          stickers * STICKER.bytes +
          media * TRANSLATED.vehicle.bytesPerMedia +
          (lists + makes) * LIST.bytes +
          counts.length * TRANSLATED.dealer.bytes +
          saved * SAVED.bytes +
          TRANSLATED.front.bytes),
    largestFile: Math.max(thumbnails.largest, fullest * LISTED),
    // Thumbnails lie in 256 folders; a dealer's vehicles are folders in one.
    fullestFolder: Math.max(Math.ceil(thumbnails.count / 256), fullest),
  };
}

function judge(host: HostLimits, size: SiteSize): Finding {
  const { files, bytes } = size;
  const [cheapest] = host.plans;
  const fitting = host.plans.find((plan) => exceeded(plan, size).length === 0);
  if (fitting === cheapest) {
    const { name: plan } = cheapest;
    return finding('host-fits', { host: host.name, plan, files, bytes, asOf: host.asOf });
  }
  const broken = exceeded(fitting ? cheapest : (host.plans.at(-1) ?? cheapest), size);
  const [{ limit, allowed, expected } = { limit: 'files', allowed: 0, expected: 0 }] = broken;
  const placed = { host: host.name, plan: (fitting ?? cheapest).name, files, bytes };
  return fitting
    ? finding('host-paid', { ...placed, limit, allowed })
    : finding('host-too-small', { ...placed, limit, allowed, expected });
}

/**
 * Whether the limits of the host hold. Without a host, what fits and what does not is told of all
 * of them, as information: nothing is wrong yet.
 */
export function checkHost(deployTo: string | undefined, size: SiteSize): Finding[] {
  if (deployTo === undefined || deployTo === 'none') {
    return HOSTS.map((host) => ({ ...judge(host, size), severity: 'info' as const }));
  }
  const host = hostOf(deployTo);
  if (!host) return [finding('host-unknown', { given: deployTo, known: HOST_IDS })];
  return [
    judge(host, size),
    ...(host.notForTrade ? [finding('host-trade', { host: host.name })] : []),
    ...(host.rule ? [finding('host-rule', { host: host.name, rule: host.rule })] : []),
  ];
}
