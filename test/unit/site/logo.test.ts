import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { logoIcon } from '../../../src/images/icon.ts';
import { Assets } from '../../../src/site/views/assets.ts';
import { offlineConfig } from '../../support/offline-config.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { shippedAssets } from '../../support/theme.ts';

/** The assets of a dealer with this logo. */
async function assetsWith(logo: string, content?: string | Buffer) {
  const folder = tempFolder();
  if (content !== undefined) await writeFile(path.join(folder, logo), content);
  const dealers = [{ id: 1, name: 'A', slug: 'a', logo }];
  const file = path.join(folder, 'site.config.json');
  return shippedAssets(offlineConfig({ dealers }, { file }));
}

it.each([
  [undefined, /logo\.png does not exist\.$/],
  ['', /Its size/],
  ['No picture', /Its size/],
])('a logo with the content %j stops the build before the first request', async (text, why) => {
  await expect(assetsWith('logo.png', text)).rejects.toMatchObject({
    code: 'logo-unusable',
    exitCode: 2,
    why: expect.stringMatching(why),
  });
});

it('a logo with more pixels than any page shows is made smaller, but its icon is made from the file', async () => {
  const drawing = '<path stroke="#c00" stroke-width="5" d="M100 100l700 400M100 500L800 90"/>';
  const bytes = await sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="600">${drawing}</svg>`,
    ),
  )
    .png()
    .toBuffer();
  const sources = await assetsWith('logo.png', bytes);
  const published = sources.logos.get(1)?.bytes ?? new Uint8Array();
  expect(await sharp(published).metadata()).toMatchObject({
    format: 'png',
    width: 216,
    height: 144,
  });
  const assets = new Assets('/cars', sources);
  const logo = assets.logo({ id: 1, slug: 'a' });
  expect(logo).toMatchObject({ width: 54, height: 36 });
  expect(logo?.src).toMatch(/^\/cars\/assets\/logo-a\.png\?v=[0-9a-f]{10}$/);
  const icon = await logoIcon({ bytes, width: 900, height: 600, ground: '' }, 512, true);
  expect(icon?.equals(sources.icon.large)).toBe(true);
});

it.each([
  ['of thin dark letters, on nothing', '#111827', '', 'light'],
  ['of white letters, on nothing', '#fff', '', 'dark'],
  [
    'of white letters, on its own dark ground',
    '#fff',
    '<path fill="#c1121f" d="M0 0h2400v100H0z"/>',
    '',
  ],
  ['that can be seen on both', '#1d78d8', '', ''],
])('a logo %s, has a contrasting background', async (_, colour, below, ground) => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2400 100">${below}<path stroke="${colour}" stroke-width="60" stroke-dasharray="12 60" d="M50 50h2300"/></svg>`;
  const { logos } = await assetsWith('logo.svg', svg);
  expect(logos.get(1)).toMatchObject({ width: 2400, height: 100, ground });
});
