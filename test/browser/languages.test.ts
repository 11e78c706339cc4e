import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { violations } from '../support/axe.ts';
import { build, configFor, readSite, temporaryFolder } from '../support/build.ts';
import { openExternalSite } from '../support/external-site.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { invalid } from '../support/html.ts';
import { brokenWords, enlargeText, PHONE, phoneOf, visit } from '../support/page.ts';
import { sharedBrowser } from '../support/shared.ts';
import { NORTHGATE, openSite, pictures, vehicle } from '../support/site.ts';

const browser = await sharedBrowser();
const LOCALES = ['en-GB', 'de-DE', 'fr-BE'];
const languages = await forAllTests(
  openSite({
    basePath: '/cars',
    files: {
      'stock.csv':
        'plate,make,description,equipment\nAB12CDE,Škoda,One owner,Sunroof\nCD34EFG,Škoda,,\nEF56GHJ,Škoda,,\n',
    },
    site: { perPage: 2, locales: LOCALES, sticker: true, favourites: true },
    dealers: [
      {
        ...NORTHGATE,
        contact: { phone: '+44 1632 960001' },
        stock: { file: 'stock.csv' },
        vehicles: [
          vehicle('AB12CDE', pictures(1, 2)),
          vehicle('CD34EFG', pictures(3, 1)),
          vehicle('EF56GHJ'),
          vehicle('ZZ99OLD'),
        ],
      },
      {
        id: 7002,
        name: 'Riverside Motors',
        slug: 'riverside',
        vehicles: [vehicle('RS51TUV', pictures(4, 1))],
      },
    ],
  }),
);
const { server, service, output, config, night } = languages;
const [northgate] = service.data.dealers;
if (!northgate) throw new Error('There is a dealer');
northgate.vehicles = northgate.vehicles.filter(({ vrm }) => vrm !== 'ZZ99OLD');
await night();

function headOf(html: string) {
  const links = [...html.matchAll(/<link [^>]*hreflang="(.+?)" href="(.+?)"/g)];
  const languages = Object.fromEntries(links.map(([, lang = '', href = '']) => [lang, href]));
  expect(Object.keys(languages), 'each language once').toHaveLength(links.length);
  const anchors = html.matchAll(/<a href="(\S+)" [^>]*hreflang="\S+">(.+?)</g);
  return {
    lang: /<html lang="(.+?)"/.exec(html)?.[1] ?? '',
    canonical: /<link rel="canonical" href="(.+?)"/.exec(html)?.[1],
    isIndexed: !html.includes('<meta name="robots"'),
    languages,
    switch: Object.fromEntries(Array.from(anchors, ([, href, text]) => [text, href])),
  };
}

const read = (file: string) => readFileSync(path.join(output, file), 'utf8');
const site = await readSite(output);
const pages = new Map(
  [...site.keys()]
    .filter((file) => file.endsWith('.html'))
    .map((file) => [`${server.url}${file.replace(/index\.html$/, '')}`, headOf(read(file))]),
);
/** Language of a file or page by its folder. */
const languageOf = (file: string) => {
  if (/^(?:embed\/)?de\//.test(file)) return 'de-DE';
  return /^(?:embed\/)?fr\//.test(file) ? 'fr-BE' : 'en-GB';
};
const below = (address: string) => address.slice(server.url.length);
/** The same file of the first language. */
const first = (file: string) => file.replace(/^(embed\/)?(?:de|fr)\//, '$1');

describe('a site in three languages', () => {
  it('has every page once in each language, except shared pages', () => {
    const all = Map.groupBy([...pages.keys()].map(below), first);
    expect([...all].flatMap(([page, variants]) => (variants.length === 3 ? [] : [page]))).toEqual([
      '404.html',
    ]);
    expect(all.get('northgate/ab12cde/')).toEqual([
      'de/northgate/ab12cde/',
      'fr/northgate/ab12cde/',
      'northgate/ab12cde/',
    ]);
    expect(all.get('embed/northgate/zz99old/')).toHaveLength(3);
    expect(all.get('northgate/page/2/')).toHaveLength(3);
    expect(all.get('northgate/make/skoda/page/2/')).toHaveLength(3);
    expect(all.get('make/skoda/')).toHaveLength(3);
    for (const [address, { lang }] of pages) expect(lang, address).toBe(languageOf(below(address)));
    expect(read('fr/northgate/ab12cde/index.html')).toContain('Mis à jour le 1 mars 2026');
    expect(read('embed/de/northgate/ef56ghj/index.html')).toContain('Bilder folgen');
    // Screen readers read texts of the stock list in its language.
    expect(read('fr/northgate/ab12cde/index.html')).toMatch(
      /<p lang="en-GB">One owner<\/p>[\s\S]*<ul lang="en-GB"><li>Sunroof/,
    );
    expect(read('northgate/ab12cde/index.html')).toContain('<p>One owner</p>');
    // Pictures, data and feeds are there once.
    const assets = [...site.keys()].filter((file) => !file.endsWith('.html'));
    const doubled = assets.filter((file) => languageOf(file) === 'fr-BE');
    expect(doubled.length).toBeGreaterThan(10);
    // Search, descriptions of embeds, sitemaps and cards of shared links have texts of their language.
    for (const file of doubled)
      expect(file).toMatch(/(?:card|front)\.jpg$|(?:index|oembed)\.json$|sitemap\.xml$/);
  });

  it('lists all languages of a page on each version and is canonical itself', () => {
    let indexed = 0;
    for (const [address, { canonical, isIndexed, languages }] of pages) {
      const file = below(address);
      if (!isIndexed) {
        expect(languages, file).toEqual({});
        continue;
      }
      indexed++;
      expect(canonical).toBe(address);
      const start = `${server.url}${first(file)}`;
      expect(Object.keys(languages).sort(), file).toEqual([...LOCALES, 'x-default'].sort());
      expect(languages).toMatchObject({ 'x-default': start, 'en-GB': start });
      expect(languages[languageOf(file)], file).toBe(address);
      for (const other of Object.values(languages)) {
        expect(pages.get(other)?.languages, `${file} and ${other}`).toEqual(languages);
      }
    }
    expect(indexed).toBe(3 * 11);
  });

  it('lists all languages in the sitemap', () => {
    const maps = [...read('sitemap.xml').matchAll(/<loc>(.+?)<\/loc>/g)].map(([, at]) => at ?? '');
    const named = new Map<string, Record<string, string>>();
    for (const map of maps) {
      for (const [, url = ''] of read(below(map)).matchAll(/<url>(.+?)<\/url>/g)) {
        const [, loc = ''] = /<loc>(.+?)<\/loc>/.exec(url) ?? [];
        const links = url.matchAll(/<xhtml:link rel="alternate" hreflang="(.+?)" href="(.+?)"\/>/g);
        named.set(loc, Object.fromEntries(Array.from(links, ([, lang, href]) => [lang, href])));
      }
    }
    const wanted = [...pages].flatMap(([address, { isIndexed, languages }]) => {
      const { 'x-default': _, ...rest } = languages;
      return isIndexed ? [[address, rest] as const] : [];
    });
    expect(new Map([...named].sort())).toEqual(new Map(wanted.sort()));
  });

  it('links each page to its versions in the other languages, by their native names', () => {
    expect(pages.get(`${server.url}de/northgate/cd34efg/`)?.switch).toEqual({
      English: '/cars/northgate/cd34efg/',
      Français: '/cars/fr/northgate/cd34efg/',
    });
    expect(pages.get(`${server.url}fr/`)?.switch).toEqual({
      English: '/cars/',
      Deutsch: '/cars/de/',
    });
    expect(read('fr/northgate/embed/index.html')).toContain('dealer=&quot;fr/northgate&quot;');
  });

  it('is shown without faults on every page and in a frame by plate', async () => {
    await using page = await visit(browser, `${server.url}404.html`, PHONE);
    const links = page.locator('.message .languages a');
    expect(await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')))).toEqual([
      '/cars/de/',
      '/cars/fr/',
    ]);
    expect(await page.locator('.languages').count()).toBe(1);
    for (const part of [
      '',
      'de/northgate/',
      'fr/northgate/ab12cde/',
      'embed/fr/northgate/ab12cde/',
    ]) {
      await page.goto(`${server.url}${part}`);
      expect(await violations(page), part).toEqual([]);
      expect(await invalid(read(`${part}index.html`)), part).toEqual([]);
    }
    await page.goto(`${server.url}de/northgate/?q=cd34`);
    await expect.poll(() => page.locator('.card').count()).toBe(1);
    expect(await page.locator('.card a').first().getAttribute('href')).toBe(
      '/cars/de/northgate/cd34efg/',
    );
    await using foreign = await openExternalSite();
    const tag = '<vehicle-media dealer="fr/northgate" vrm="ab12 cde">None</vehicle-media>';
    await using elsewhere = await visit(
      browser,
      foreign.page(`<script async src="${server.url}embed.js"></script>${tag}`),
    );
    const frame = elsewhere.frameLocator('iframe');
    await expect.poll(() => frame.locator('.slide').count()).toBe(2);
    expect(await frame.locator('html').getAttribute('lang')).toBe('fr-BE');
  });

  it('breaks no word of a heading on a small phone with text of 200 %', async () => {
    await using page = await visit(browser, server.url, phoneOf(320, 568));
    await enlargeText(page);
    for (const folder of ['', 'de/', 'fr/']) {
      await page.goto(`${server.url}${folder}northgate/ab12cde/`);
      expect(await page.locator('h2').count()).toBeGreaterThan(3);
      expect(await brokenWords(page), folder).toEqual([]);
    }
  });

  it('rebuilds only the pages of a changed vehicle, in all languages', async () => {
    const unchanged = await night();
    expect(unchanged.report).toMatchObject({ outcome: 'unchanged', rendered: 0 });
    const changed = northgate.vehicles.find(({ vrm }) => vrm === 'CD34EFG');
    if (!changed) throw new Error('There is a vehicle');
    changed.mediaList.push(...pictures(2, 1));
    await night();
    const now = await readSite(output);
    const html = [...now].flatMap(([file, text]) =>
      file.endsWith('.html') && text !== site.get(file) ? [file] : [],
    );
    // The page of the vehicle, pages that show it as a similar vehicle, and its lists.
    const affected = Map.groupBy(html, first);
    // The 404 page shows the newest vehicles, in the first language.
    expect([...affected].filter(([, pages]) => pages.length !== 3).map(([file]) => file)).toEqual([
      '404.html',
    ]);
    expect([...affected.keys()].sort()).toEqual([
      '404.html',
      'embed/northgate/cd34efg/index.html',
      'index.html',
      'make/skoda/index.html',
      'northgate/cd34efg/index.html',
      'northgate/index.html',
      'northgate/make/skoda/index.html',
      'saved/index.html',
    ]);
    await using other = await temporaryFolder();
    await night({}, other.path);
    expect(await readSite(path.join(other.path, 'site'))).toEqual(now);
  });

  it('without a removed language equals a site that never had it', async () => {
    await night({ locales: ['de-DE'] });
    await using other = await temporaryFolder();
    await night({ locales: ['de-DE'] }, other.path);
    expect(await readSite(output)).toEqual(await readSite(path.join(other.path, 'site')));
    await night({ locales: [] });
    expect(
      [...(await readSite(output)).keys()].filter((file) => /\b(?:de|fr)\//.test(file)),
    ).toEqual([]);
    expect(read('index.html')).not.toContain('hreflang');
  });
});

describe('site.locales', () => {
  it.each([
    [['de-AT', 'de-CH'], 'site.locales[1]: repeats the language of de-AT'],
    [['en-US'], 'site.locales[0]: repeats the language of en-GB'],
    [['nl-NL'], undefined],
  ])('%j', (locales, message) => {
    if (message === undefined) expect(config({ locales }).site.locales).toEqual(locales);
    else expect(() => config({ locales })).toThrow(message);
  });

  it('refuses a dealer whose URLs collide with a language', () => {
    const dealers = [{ id: 1, name: 'Fr', slug: 'fr' }];
    const change = { site: { title: 'T', url: 'https://a.example', locales: ['fr-FR'] }, dealers };
    expect(() => configFor(service, change)).toThrow(
      'dealers[0].slug: is the address of the pages in fr-FR (site.locales[0])',
    );
  });

  it('refuses a language without texts', async () => {
    await using other = await temporaryFolder();
    const { error } = await build(config({ locales: ['is-IS'] }), other.path);
    expect(error).toMatchObject({ code: 'locale-words-missing', exitCode: 2 });
  });
});
