/** Random edits of every input of a site, for the test of incremental builds. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { UserConfig } from '../../src/config/schema.ts';
import { timestamp } from '../../src/contract/media.ts';
import type { SampleService } from './sample-service/index.ts';

export interface World {
  service: SampleService;
  /** Folder of the theme, the custom pages and the stock lists. */
  folder: string;
  config: UserConfig & Required<Pick<UserConfig, 'site'>>;
  /** Folders of the published site and the cache. */
  output: string;
  cacheDir: string;
  random: () => number;
  /** The clock of the builds. */
  now: number;
  /** Counts up, so that no edit restores earlier content. */
  number: number;
  /** Kinds of edits that have not occurred yet. */
  left: string[];
}

type Edit = (world: World) => void;

const pick = <T>(world: World, list: readonly T[]): T => {
  const item = list[Math.floor(world.random() * list.length)];
  if (item === undefined) throw new Error('Nothing to pick from');
  return item;
};

const dealerOf = (world: World) => pick(world, world.service.data.dealers);
const vehicleOf = (world: World) => pick(world, dealerOf(world).vehicles);
const later = ({ number }: World) => timestamp(Date.UTC(2026, 1, 1) + number * 1000);

const write = ({ folder }: World, name: string, text: string): void => {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
};

const stock: Record<string, Edit> = {
  'a vehicle is updated': (world) => {
    vehicleOf(world).dateUpdated = later(world);
  },
  'pictures are reordered': (world) => {
    const { mediaList } = vehicleOf(world);
    mediaList.push(...mediaList.splice(0, 1));
  },
  'a picture is removed': (world) => {
    vehicleOf(world).mediaList.splice(0, 1);
  },
  'a label changes': (world) => {
    const item = vehicleOf(world).mediaList.at(-1);
    if (item) item.label = `Label <${world.number}> & "more"`;
  },
  'bytes change at an unchanged URL': (world) => {
    const vehicle = vehicleOf(world);
    const item = vehicle.mediaList.find(({ type }) => type === 'Image');
    if (item) world.service.data.touch(item.id);
    vehicle.dateUpdated = later(world);
  },
  'bytes change at a URL of an unchanged vehicle, and months pass': (world) => {
    const item = vehicleOf(world).mediaList.find(({ type }) => type === 'Image');
    if (item) world.service.data.touch(item.id);
    world.now += 90 * 86_400_000;
  },
  'a new picture cannot be downloaded': (world) => {
    const { mediaList } = vehicleOf(world);
    const item = mediaList.find(({ type }) => type === 'Image');
    if (!item) return;
    const id = 9_000_000 + world.number;
    const mediaUrl = item.mediaUrl?.replace(String(item.id), String(id));
    mediaList.unshift({ ...item, id, mediaUrl });
    world.service.data.override(id, { deleted: true, width: 120, height: 90 });
  },
  'failed pictures can be downloaded': (world) => {
    for (const [id, { deleted }] of world.service.data.pictures) {
      if (deleted) world.service.data.override(id, { deleted: false });
    }
  },
  'a vehicle is removed': (world) => {
    const { vehicles } = dealerOf(world);
    if (vehicles.length > 3) vehicles.splice(Math.floor(world.random() * vehicles.length), 1);
  },
  'a vehicle is added': (world) => {
    const { vehicles } = dealerOf(world);
    vehicles.push({
      ...structuredClone(vehicleOf(world)),
      vrm: `NW${world.number} CAR`,
      dateUpdated: later(world),
    });
  },
};

const files: Record<string, Edit> = {
  'a template of the theme': (world) => {
    const name = pick(world, ['vehicle', 'dealer', 'embed', 'front', 'base', 'withdrawn', '404']);
    const file = `${name === 'base' ? 'layouts' : 'pages'}/${name}.njk`;
    const ours = readFileSync(path.resolve('templates', file), 'utf8');
    const marked = name === 'base' ? ours : ours.replace('%}', `%}{# ${world.number} #}`);
    write(world, `theme/${file}`, marked.replace('<h1', `<h1 data-edit="${world.number}"`));
  },
  'a partial of the theme': (world) => {
    const ours = readFileSync(path.resolve('templates/partials/icons.njk'), 'utf8');
    write(world, 'theme/partials/icons.njk', `<!-- ${world.number} -->${ours}`);
  },
  'a style of the theme': (world) =>
    write(world, 'theme/assets/theme.css', `body { outline: ${world.number}px }`),
  'a script of the theme': (world) =>
    write(
      world,
      'theme/assets/share.js',
      `document.title += ${world.number};\n${readFileSync(path.resolve('templates/assets/share.js'), 'utf8')}`,
    ),
  'a text of the theme': (world) =>
    write(world, 'theme/words.json', JSON.stringify({ en: { share: `Share ${world.number}` } })),
  'the theme is removed': ({ folder }) => {
    for (const name of ['layouts', 'pages', 'partials', 'assets', 'words.json']) {
      rmSync(path.join(folder, 'theme', name), { recursive: true, force: true });
    }
  },
  'a custom page': (world) =>
    write(
      world,
      'pages/own.njk',
      `---\ntitle: Own\ndescription: Own ${world.number}\n---\n{% extends "layouts/base.njk" %}{% block content %}<h1>{{ page_.heading }}</h1><p>{% for vehicle in vehicles %}{{ vehicle.fullName }} {% endfor %}</p>{% endblock %}`,
    ),
  "a dealer's list": (world) => {
    const [dealer] = world.service.data.dealers;
    const rows = dealer?.vehicles.slice(0, 3).map(({ vrm }) => `${vrm},Ford,Puma ${world.number}`);
    write(world, 'stock.csv', ['plate,make,model', ...(rows ?? []), ''].join('\n'));
  },
};

const config: Record<string, Edit> = {
  title: ({ config: { site }, number }) => {
    site.title = `Test Motors ${number}`;
  },
  address: ({ config: { site }, number }) => {
    site.url = `${new URL(site.url).origin}${number % 2 ? '' : '/below'}`;
  },
  language: ({ config: { site }, number }) => {
    site.locale = number % 2 ? 'de-DE' : 'en-GB';
  },
  'further languages': ({ config: { site }, number }) => {
    site.locales = [[], ['fr-BE'], ['pl-PL', 'fr-BE']][number % 3];
  },
  'time zone': ({ config: { site }, number }) => {
    site.timeZone = number % 2 ? 'Pacific/Auckland' : 'Europe/London';
  },
  'vehicles on a page': ({ config: { site }, number }) => {
    site.perPage = 2 + (number % 3);
  },
  'sheets for windows': ({ config: { site }, number }) => {
    site.sticker = number % 2 === 1;
  },
  "a dealer's name, colour and phone": ({ config: { dealers = [] }, number }) => {
    const [dealer] = dealers;
    if (!dealer) return;
    dealer.name = `Dealer ${number}`;
    dealer.colour = `#${(number * 4321).toString(16).padStart(6, '0').slice(-6)}`;
    dealer.contact = { phone: `+44 20 7946 0${100 + (number % 900)}` };
  },
  'a dealer is removed or added': (world) => {
    const { dealers } = world.config;
    const second = world.service.data.dealers[1];
    if (!dealers || !second) return;
    if (dealers.length > 1) dealers.pop();
    else dealers.push({ id: second.id, name: second.name, slug: 'dealer-2' });
  },
  widths: (world) => {
    world.config.media = { ...world.config.media, widths: [64, 80 + (world.number % 2) * 16] };
  },
  'formats, crops and full sizes': (world) => {
    const isOdd = world.number % 2 === 1;
    world.config.media = {
      ...world.config.media,
      formats: isOdd ? ['webp', 'jpeg'] : ['webp'],
      fallback: isOdd ? 'all' : 'cover',
      crop: isOdd ? 'attention' : 'centre',
      fullSize: isOdd ? 'mirror' : 'link',
      viewerWidths: isOdd ? [640] : [],
    };
  },
  'the form of enquiries, and saved vehicles': ({ config: { site }, number }) => {
    site.favourites = number % 2 === 0;
    if (number % 3 === 0) delete site.enquiry;
    else site.enquiry = { address: `https://forms.example/${number}` };
  },
  'colour and policy of the site': ({ config: { site }, number }) => {
    site.colour = `#${(number * 1234).toString(16).padStart(6, '0').slice(-6)}`;
    site.policy = { 'img-src': [`https://pictures-${number}.example`] };
  },
  'time of withdrawn vehicles': ({ config: { site }, number }) => {
    site.withdrawnFor = `${number % 3}d`;
  },
  "a dealer's address, hours, enquiries and links": ({ config: { dealers = [] }, number }) => {
    const dealer = dealers[number % dealers.length];
    if (!dealer) return;
    dealer.address = { street: `${number} Road`, city: 'Town', country: 'GB' };
    dealer.openingHours = { week: [`Mo-Fr 09:00-${10 + (number % 9)}:00`] };
    dealer.website = `https://dealer.example/${number}`;
    dealer.imprint = `https://dealer.example/${number}/imprint`;
    dealer.enquiry = { address: `https://dealer.example/${number}/form` };
  },
  "the currency of a dealer's list": ({ config: { dealers = [] }, number }) => {
    const { stock: list } = dealers[0] ?? {};
    if (list) list.currency = number % 2 ? 'EUR' : 'GBP';
  },
  'a provider': (world) => {
    world.config.videos = {
      ...world.config.videos,
      providers: [{ name: `Films ${world.number}`, host: 'films.example', path: '/e/[a-z]+' }],
    };
  },
};

/** A file of the output or cache: a thumbnail or an unrelated file. */
const someFile = (world: World, folder: string, thumbnail = false): string | undefined => {
  if (!existsSync(folder)) return undefined;
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && entry.parentPath.includes(`${path.sep}media`) === thumbnail,
    )
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  return names.length > 0 ? pick(world, names) : undefined;
};

const work = (world: World): string =>
  path.join(path.dirname(world.output), `.${path.basename(world.output)}.work`);

/** Unsupported changes that disks, users and killed builds cause anyway. */
const damage: Record<string, Edit> = {
  'a published file is altered': (world) => {
    const file = someFile(world, world.output);
    if (file) {
      const text = readFileSync(file, 'utf8');
      rmSync(file);
      writeFileSync(file, `${text} `);
    }
  },
  'a published file is deleted': (world) => {
    const file = someFile(world, world.output);
    if (file) rmSync(file);
  },
  'a published thumbnail is deleted': (world) => {
    const file = someFile(world, path.join(world.output, 'media'), true);
    if (file) rmSync(file);
  },
  'a published thumbnail is truncated under all its names': (world) => {
    const file = someFile(world, path.join(world.output, 'media'), true);
    if (file) truncateSync(file, Math.floor(statSync(file).size * world.random()));
  },
  'a published thumbnail is replaced by another file': (world) => {
    const file = someFile(world, path.join(world.output, 'media'), true);
    if (!file) return;
    const bytes = readFileSync(file);
    rmSync(file);
    writeFileSync(file, bytes.reverse());
  },
  'a thumbnail of the store is altered, with its size and time': (world) => {
    const file = someFile(world, path.join(world.cacheDir, 'media', 'files'), true);
    if (!file) return;
    const { atime, mtime } = statSync(file);
    writeFileSync(file, readFileSync(file).reverse());
    utimesSync(file, atime, mtime);
  },
  'a thumbnail is deleted from the store': (world) => {
    const file = someFile(world, path.join(world.cacheDir, 'media', 'files'), true);
    if (file) rmSync(file);
  },
  'a published file is altered in place, with its size': (world) => {
    const file = someFile(world, world.output);
    if (file) writeFileSync(file, readFileSync(file).reverse());
  },
  'a killed build leaves its working folder': (world) => {
    const next = path.join(work(world), 'next');
    mkdirSync(path.join(next, 'media'), { recursive: true });
    for (const name of ['index.html', 'media/notes.txt']) writeFileSync(path.join(next, name), 'x');
  },
  'a record of the published site is truncated': (world) => {
    const file = someFile(world, path.join(world.output, 'api/records'));
    if (!file) return;
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.slice(0, Math.floor(text.length * world.random())));
  },
  'the stored state of a dealer is damaged': (world) => {
    const file = someFile(world, path.join(world.cacheDir, 'records'));
    if (file) writeFileSync(file, readFileSync(file, 'utf8').slice(0, -10));
  },
};

const ALL: Record<string, Edit> = { ...stock, ...files, ...config, ...damage };

/** Makes one or two random edits and returns their description. Every kind occurs before any is repeated. */
export function edit(world: World): string {
  const names: string[] = [];
  for (let left = world.random() < 0.3 ? 2 : 1; left > 0; left--) {
    world.number++;
    if (world.left.length === 0) world.left = Object.keys(ALL);
    const [name = ''] = world.left.splice(Math.floor(world.random() * world.left.length), 1);
    names.push(name);
    ALL[name]?.(world);
  }
  return names.join(', and ');
}

/** Number of kinds of edits. */
export const KINDS = Object.keys(ALL).length;
