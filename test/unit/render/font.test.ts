import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readAssets } from '../../../src/render/asset-sources.ts';
import { fontFile, readFont } from '../../../src/render/font.ts';
import { writeFilesBelow } from '../../support/files-below.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { atOnce, themeIn } from '../../support/theme.ts';

it('is the system font if the configuration says so', async () => {
  const config = { file: 'site.config.ts', site: { font: 'system' } };
  expect(fontFile(config)).toBeUndefined();
  expect(await readFont(config)).toBeUndefined();
});

it('defaults to Figtree with at most 30 kB, 21 kB for most languages, and its licence', async () => {
  const font = await readFont({ file: 'site.config.ts', site: {} });
  const sizes = new Map(Array.from(font?.files ?? [], ([name, bytes]) => [name, bytes.length]));
  const [letters = 0, further = 0] = [sizes.get('font.woff2'), sizes.get('font-ext.woff2')];
  expect(letters).toBeLessThan(21_000);
  expect(letters + further).toBeLessThan(30 * 1024);
  const licence = String(font?.files.get('font-licence.txt') ?? '');
  expect(licence).toContain('Figtree Project Authors');
  expect(licence).toContain('SIL OPEN FONT LICENSE Version 1.1');
});

it.each([
  ['missing.woff2', undefined, /^\/.*missing\.woff2 does not exist\.$/],
  ['text.woff2', 'no font', /not a WOFF2/],
  ['large.woff2', `wOF2${'x'.repeat(30_000)}`, /30004 bytes, more than 30000/],
])('%s is refused with a fix', async (name, content, why) => {
  const folder = tempFolder();
  if (content !== undefined) await writeFile(path.join(folder, name), content);
  const config = { file: path.join(folder, 'site.config.ts'), site: { font: name } };
  await expect(readFont(config)).rejects.toMatchObject({
    code: 'font-unusable',
    why: expect.stringMatching(why),
    fix: expect.stringContaining('site.font'),
  });
});

it("does not silently replace a theme's file of the same name", async () => {
  const folder = tempFolder();
  await writeFilesBelow(folder, { 'theme/assets/font.woff2': 'wOF2' });
  const theme = await themeIn(folder);
  const assetsOf = (font?: string) =>
    readAssets({ dealers: [], file: 'site.config.ts', site: { title: 'T', font } }, theme, atOnce);
  await expect(assetsOf()).rejects.toMatchObject({ code: 'theme-file-unused' });
  expect(String((await assetsOf('system')).files.get('font.woff2'))).toBe('wOF2');
});
