import { describe, expect, it } from 'vitest';
import type { UserConfig } from '../../src/config/schema.ts';
import { sourceKey } from '../../src/images/plan.ts';
import { type Content, contentHash } from '../../src/images/recipes.ts';
import { acceptAnswer } from '../../src/stock/accept.ts';
import { build, buildSite, configFor, readSite, readTree } from '../support/build.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { plannedFiles } from '../support/planned-files.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const SHAPES = [
  { width: 720, height: 540 },
  { width: 720, height: 480 },
  { width: 480, height: 720 },
  { width: 180, height: 135 },
];

const picture = (id: number) => ({
  id,
  type: 'Image',
  label: `Image ${id}`,
  mediaUrl: `{base_url}/pictures/${id}.jpg`,
});

/** Four vehicles of two dealers. Each shape occurs once among their first pictures. */
const service = await forAllTests(
  startService({
    data: {
      dealers: [1, 2].map((dealer) => ({
        id: 7000 + dealer,
        name: `Dealer ${dealer}`,
        vehicles: [0, 1].map((n) => ({
          vrm: `AB${dealer}${n}CDE`,
          dateUpdated: '2026-03-01T10:00:00Z',
          mediaList: [0, 1].map((index) => picture(dealer * 100 + n * 10 + index)),
        })),
      })),
      accounts: [],
      pictures: Object.fromEntries(
        [1, 2].flatMap((dealer) =>
          [0, 1].flatMap((n) =>
            [0, 1].map((index) => {
              const shape = SHAPES[((dealer - 1) * 2 + n + index) % SHAPES.length];
              return [dealer * 100 + n * 10 + index, { ...shape, orientation: 1 }];
            }),
          ),
        ),
      ),
    },
  }),
);

type Media = NonNullable<UserConfig['media']>;

/** The JPEG has the width of another output, so it adds no intermediate size. */
const WIDTHS = { widths: [160, 320, 640] };
const configWith = (media: Media = {}) => configFor(service, { media: { ...WIDTHS, ...media } });

/** Pictures referenced in pages and files of a site. */
const named = (site: ReadonlyMap<string, string>): Set<string> => {
  const found = new Set<string>();
  for (const [file, text] of site) {
    if (/^(?:media|api)\//.test(file)) continue;
    for (const [name] of text.matchAll(/media\/[0-9a-f]{2}\/[\w-]+\.(?:webp|avif|jpg)/g)) {
      found.add(name);
    }
  }
  return found;
};

const jpegs = (site: ReadonlyMap<string, string>) =>
  [...site.keys()].filter((file) => file.endsWith('.jpg'));

describe('the files of a site', () => {
  it.each<[string, Media]>([
    ['with a JPEG only for covers', {}],
    ['with a JPEG of every picture', { fallback: 'all' }],
    [
      'in two formats, with copies of full sizes',
      { formats: ['avif', 'webp'], fullSize: 'mirror' },
    ],
    ['with crops to the most interesting part', { crop: 'attention' }],
  ])('%s are exactly the planned ones, and pages show each picture', async (_, media) => {
    const folder = tempFolder();
    const config = configWith(media);
    const contents = new Map<string, Content>();
    const vehicles = [];
    for (const { id, vehicles: records } of service.data.dealers) {
      const answer = JSON.parse(JSON.stringify(records).replaceAll('{base_url}', service.baseUrl));
      const accepted = acceptAnswer(answer, id, config.service.fieldNames);
      vehicles.push(...accepted.vehicles);
      for (const item of accepted.vehicles.flatMap((vehicle) => vehicle.media)) {
        if (item.kind !== 'image' || item.url === undefined) continue;
        const bytes = Buffer.from(await (await fetch(item.url)).arrayBuffer());
        const { width = 0, height = 0 } = service.data.pictures.get(item.id) ?? {};
        contents.set(sourceKey(id, item), { hash: contentHash(bytes), width, height });
      }
    }
    const planned = await plannedFiles(config, vehicles, (key) => contents.get(key) as Content);
    const { output } = await buildSite(config, folder);
    const site = await readTree(output);
    expect([...site.keys()].sort()).toEqual([...planned.media, ...planned.pages].sort());
    expect([...named(site)].sort()).toEqual([...planned.media].sort());
    const pages = [...site].filter(([file]) => /\.(?:html|xml)$/.test(file));
    const linksService = pages.some(([, text]) => text.includes(`${service.baseUrl}/pictures/`));
    expect(linksService).toBe(media.fullSize !== 'mirror');
    const cards = vehicles.length + config.dealers.length * (config.dealers.length === 1 ? 1 : 2);
    const all = media.fallback === 'all' ? 2 * vehicles.length : 0;
    expect(jpegs(site)).toHaveLength(cards + all);
  });

  it('equal a build from nothing after JPEGs of all pictures are switched off', async () => {
    const folder = tempFolder();
    const other = tempFolder();
    await buildSite(configWith({ fallback: 'all' }), folder);
    const { output } = await buildSite(configWith(), folder);
    const fresh = await build(configWith(), other);
    expect(await readSite(output)).toEqual(await readSite(fresh.output));
  });

  it('include a picture for feeds and sharing if the first picture cannot be downloaded', async () => {
    const folder = tempFolder();
    service.faults.set({ route: 'picture', match: /\/100\.jpg$/, status: 410 });
    try {
      const { output } = await buildSite(configWith(), folder, {});
      const site = await readTree(output);
      const page = site.get('dealer-1/ab10cde/index.html') ?? '';
      const [, shared = ''] =
        /property="og:image" content="https:\/\/cars\.example\/([^"]+)"/.exec(page) ?? [];
      expect(site.has(shared.replace(/\?.*/, ''))).toBe(true);
    } finally {
      service.faults.clear();
    }
  });
});
