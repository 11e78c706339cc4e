import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { configSchema } from '../../../src/config/schema.ts';
import { logoIcon } from '../../../src/images/icon.ts';
import { readAssets } from '../../../src/render/asset-sources.ts';
import { Assets } from '../../../src/site/views/assets.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { shippedTheme } from '../../support/theme.ts';

const shipped = await shippedTheme();

const dealersWith = (logo: string) =>
  configSchema
    .parse({
      service: { baseUrl: 'https://media.example' },
      site: { title: 'T', url: 'https://cars.example' },
      dealers: [{ id: 1, name: 'A', slug: 'a', logo }],
    })
    .dealers.map((dealer) => ({ ...dealer, apiKey: undefined as never }));

it('a logo is published with its size under a URL derived from its content', async () => {
  const folder = tempFolder();
  const file = path.join(folder, 'site.config.json');
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40"></svg>';
  await writeFile(path.join(folder, 'logo.svg'), svg);
  const assets = new Assets(
    '/cars',
    await readAssets({ dealers: dealersWith('logo.svg'), file }, shipped),
  );
  const logo = assets.logo({ id: 1, slug: 'a' });
  expect(logo).toMatchObject({ width: 108, height: 36, wide: true, ground: '' });
  expect(logo?.src).toMatch(/^\/cars\/assets\/logo-a\.svg\?v=[0-9a-f]{10}$/);
  expect([...assets.files()].map(({ file: name }) => name)).toContain('/assets/logo-a.svg');
});

it.each(['', 'No picture'])('a file without a picture is refused as a logo: "%s"', async (text) => {
  const folder = tempFolder();
  const file = path.join(folder, 'site.config.json');
  await writeFile(path.join(folder, 'logo.png'), text);
  await expect(readAssets({ dealers: dealersWith('logo.png'), file }, shipped)).rejects.toThrow(
    expect.objectContaining({ code: 'logo-unusable', why: expect.stringContaining('Its size') }),
  );
});

it('a logo with more pixels than any page shows is made smaller, but its icon is made from the file', async () => {
  const folder = tempFolder();
  const file = path.join(folder, 'site.config.json');
  const drawing = '<path stroke="#c00" stroke-width="5" d="M100 100l700 400M100 500L800 90"/>';
  const bytes = await sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="600">${drawing}</svg>`,
    ),
  )
    .png()
    .toBuffer();
  await writeFile(path.join(folder, 'logo.png'), bytes);
  const sources = await readAssets({ dealers: dealersWith('logo.png'), file }, shipped);
  const published = sources.logos.get(1)?.bytes ?? new Uint8Array();
  expect(await sharp(published).metadata()).toMatchObject({
    format: 'png',
    width: 216,
    height: 144,
  });
  expect(new Assets('', sources).logo({ id: 1, slug: 'a' })).toMatchObject({
    width: 54,
    height: 36,
  });
  const icon = await logoIcon({ bytes, width: 900, height: 600 }, 512);
  expect(icon?.equals(sources.icon.large)).toBe(true);
});

it('a missing or unreadable logo stops the build before the first request', async () => {
  const folder = tempFolder();
  const file = path.join(folder, 'site.config.json');
  await writeFile(path.join(folder, 'bad.png'), 'no picture');
  for (const [logo, why] of [
    ['gone.svg', /gone\.svg does not exist\.$/],
    ['bad.png', ''],
  ] as const) {
    await expect(readAssets({ dealers: dealersWith(logo), file }, shipped)).rejects.toMatchObject({
      code: 'logo-unusable',
      exitCode: 2,
      why: expect.stringMatching(why),
    });
  }
});

it.each([
  ['of dark letters, on nothing', '#111827', '', 'light'],
  ['of white letters, on nothing', '#fff', '', 'dark'],
  [
    'of white letters, on its own dark ground',
    '#fff',
    '<path fill="#c1121f" d="M0 0h400v100H0z"/>',
    '',
  ],
  ['that can be seen on both', '#1d78d8', '', ''],
])('a logo %s, has a contrasting background', async (_, colour, below, ground) => {
  const folder = tempFolder();
  const file = path.join(folder, 'site.config.json');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 100">${below}<path fill="${colour}" d="M50 20h300v60H50z"/></svg>`;
  await writeFile(path.join(folder, 'logo.svg'), svg);
  const { logos } = await readAssets({ dealers: dealersWith('logo.svg'), file }, shipped);
  expect(logos.get(1)).toMatchObject({ width: 400, height: 100, ground });
});
