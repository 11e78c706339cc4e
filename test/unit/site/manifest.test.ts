import sharp from 'sharp';
import { expect, it } from 'vitest';
import { readAssets } from '../../../src/render/asset-sources.ts';
import { Assets } from '../../../src/site/views/assets.ts';
import { writeFilesBelow } from '../../support/files-below.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { atOnce, shippedAssets, themeIn } from '../../support/theme.ts';

const dealers = [{ id: 7001, name: 'Northgate', slug: 'northgate', colour: '#0a7d4f' }];

async function manifestOf(title: string, of: object[]) {
  const config = { dealers: of as never, file: 'site.config.ts', site: { title } };
  const assets = new Assets('/cars', await shippedAssets(config));
  const address = assets.manifest(title);
  const files = new Map([...assets.files()].map(({ file, content }) => [file, content]));
  const manifest = JSON.parse(String(files.get('/assets/manifest.json')));
  return { address, manifest, files };
}

it('the web manifest has the name of the site, its colours and existing icons', async () => {
  const { address, manifest, files } = await manifestOf('Northgate Motor Group', dealers);
  expect(address).toMatch(/^\/cars\/assets\/manifest\.json\?v=\w+$/);
  expect(manifest).toMatchObject({
    name: 'Northgate Motor Group',
    short_name: 'Northgate',
    start_url: '/cars/',
    theme_color: '#0a7d4f',
    background_color: '#ffffff',
  });
  for (const { src, sizes } of manifest.icons) {
    const { pathname } = new URL(src, 'https://cars.example');
    const bytes = files.get(pathname.replace('/cars', '')) as Uint8Array;
    const { width, height, format } = await sharp(bytes).metadata();
    expect([`${width}x${height}`, format]).toEqual([sizes, 'png']);
  }
  expect(
    manifest.icons.map(({ sizes, purpose }: Record<string, string>) => [sizes, purpose]),
  ).toEqual([
    ['192x192', undefined],
    ['512x512', 'any maskable'],
  ]);
});

it('the short name fits below an icon without cutting words, with a default colour', async () => {
  const { manifest } = await manifestOf('Auto Nord GmbH', []);
  expect(manifest).toMatchObject({ short_name: 'Auto Nord', theme_color: '#0b57d0' });
  const { manifest: long } = await manifestOf('Kraftfahrzeughandel Süd', []);
  expect(long.short_name).toBe('Kraftfahrzeughandel');
});

it("a group without a colour has the default colour in its icon, not its first dealer's colour", async () => {
  const others = [...dealers, { id: 7002, name: 'Riverside', slug: 'riverside' }];
  const { manifest, files } = await manifestOf('Motor Group', others);
  expect(manifest.theme_color).toBe('#0b57d0');
  const icon = sharp(files.get('/assets/icon-512.png') as Uint8Array);
  expect([...(await icon.removeAlpha().raw().toBuffer()).subarray(0, 3)]).toEqual([11, 87, 208]);
});

it('icons of a theme replace the icons of the site and of a dealer', async () => {
  const folder = tempFolder();
  const icons = ['icon.png', 'icon-512.png', 'icon-northgate.png'];
  await writeFilesBelow(
    folder,
    Object.fromEntries(icons.map((name) => [`theme/assets/${name}`, `my ${name}`])),
  );
  const config = { dealers: dealers as never, file: 'site.config.ts', site: { title: 'Cars' } };
  const assets = new Assets('', await readAssets(config, await themeIn(folder), atOnce));
  assets.manifest('Cars');
  assets.icon({ id: 7001, slug: 'northgate' });
  const files = new Map([...assets.files()].map(({ file, content }) => [file, String(content)]));
  expect(icons.map((name) => files.get(`/assets/${name}`))).toEqual(
    icons.map((name) => `my ${name}`),
  );
});
