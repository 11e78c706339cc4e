import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { fontFile, readFont } from '../../../src/render/font.ts';
import { tempFolder } from '../../support/temp-folder.ts';

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
