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
import { bytesText } from '../../lib/terminal/progress.ts';
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
const VEHICLE = { files: 4, bytes: 18_500 };
/** What a picture or video adds to them. */
const MEDIA = { files: 0, bytes: 1_500 };
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
  vehicle: { files: 3, bytes: 13_000 },
  media: { files: 0, bytes: 1_000 },
  dealer: { files: 4, bytes: 10_500 },
  front: { files: 1, bytes: 10_000 },
};
/** Counted as a file only: its size is that of the font. */
const FONT = { files: 1, bytes: 0 };
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
  for (const { dealerId } of vehicles) {
    perDealer.set(dealerId, (perDealer.get(dealerId) ?? 0) + 1);
  }
  const counts = [...perDealer.values()];
  const { length: dealers } = counts;
  const media = vehicles.reduce((sum, one) => sum + one.media.length, 0);
  const lists = counts.reduce(
    (sum, count) => sum + Math.max(1, Math.ceil(count / config.site.perPage)),
    0,
  );
  const makes = makePages(config, vehicles, facts);
  const fullest = Math.max(0, ...counts);
  const colours = new Set(config.dealers.flatMap(({ colour }) => colour?.toLowerCase() ?? []));
  const logos = config.dealers.filter(({ logo }) => logo).length;
  const stickers = config.site.sticker ? vehicles.length : 0;
  const saved = config.site.favourites ? 1 : 0;
  const further = localesOf(config.site).length - 1;
  const parts: [count: number, part: { files: number; bytes: number }][] = [
    [1, { files: thumbnails.count, bytes: thumbnails.bytes }],
    [vehicles.length, VEHICLE],
    [media, MEDIA],
    [lists + makes + legalFiles(config).length, LIST],
    [dealers, DEALER],
    [colours.size + logos, BRAND],
    [config.dealers.filter(({ colour, logo }) => colour ?? logo).length, ICON],
    [1, SITE],
    [config.site.font === undefined ? 0 : 1, FONT],
    [netlifyForms(config).length, FORMS],
    [further * vehicles.length, TRANSLATED.vehicle],
    [further * media, TRANSLATED.media],
    [further * (lists + makes), LIST],
    [further * dealers, TRANSLATED.dealer],
    [further, TRANSLATED.front],
    // As many in every language.
    [(1 + further) * stickers, STICKER],
    [(1 + further) * saved, SAVED],
  ];
  const sum = (kind: 'files' | 'bytes') =>
    parts.reduce((total, [count, part]) => total + count * part[kind], 0);
  return {
    files: sum('files'),
    bytes: sum('bytes'),
    largestFile: Math.max(thumbnails.largest, fullest * LISTED),
    // Thumbnails lie in 256 folders; a dealer's vehicles are folders in one.
    fullestFolder: Math.max(Math.ceil(thumbnails.count / 256), fullest),
  };
}

const sizeText = ({ files, bytes }: SiteSize): string =>
  `about ${files.toLocaleString('en-GB')} ${files === 1 ? 'file' : 'files'} and ${bytesText(bytes)}`;

function judge(host: HostLimits, size: SiteSize): Finding {
  const { files, bytes } = size;
  const [cheapest] = host.plans;
  const fitting = host.plans.find((plan) => exceeded(plan, size).length === 0);
  const { name: plan } = fitting ?? cheapest;
  const args = { host: host.name, plan, files, bytes };
  if (fitting === cheapest) {
    const { asOf } = host;
    const what = `${host.name} (${plan}): ${sizeText(size)} fit its limits of ${asOf}.`;
    return finding('host-fits', { ...args, asOf }, what);
  }
  const broken = exceeded(fitting ? cheapest : (host.plans.at(-1) ?? cheapest), size);
  const [{ limit, allowed, expected } = { limit: 'files', allowed: 0, expected: 0 }] = broken;
  const most = `${allowed.toLocaleString('en-GB')} (${limit})`;
  if (fitting) {
    const what = `${host.name}: ${sizeText(size)} need its plan "${plan}".`;
    return finding('host-paid', { ...args, limit, allowed }, what, {
      why: `A cheaper plan allows ${most}.`,
    });
  }
  const what = `${host.name}: ${sizeText(size)} are too much.`;
  return finding('host-too-small', { ...args, limit, allowed, expected }, what, {
    why: `It allows ${most}; about ${expected.toLocaleString('en-GB')} are expected.`,
  });
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
  if (!host) {
    const why = `Known are: ${HOST_IDS.join(', ')}.`;
    const args = { given: deployTo, known: HOST_IDS };
    return [finding('host-unknown', args, `DEPLOY_TO is "${deployTo}".`, { why })];
  }
  const { name, rule, notForTrade } = host;
  const trade = `${name} is not meant for sites that mainly serve commercial transactions.`;
  return [
    judge(host, size),
    ...(notForTrade ? [finding('host-trade', { host: name }, trade)] : []),
    ...(rule ? [finding('host-rule', { host: name, rule }, `${name}: ${rule}`)] : []),
  ];
}
