import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, it } from 'vitest';
import { fontFile, readFont } from '../../../src/render/font.ts';
import { temporaryFolder } from '../../support/build.ts';

const real = createRequire(import.meta.url).resolve(
  '@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2',
);

it('is read from beside the configuration, and absent without a setting', async () => {
  const file = path.join(path.dirname(real), 'site.config.ts');
  const site = { font: path.basename(real) };
  expect(fontFile({ file, site })).toBe(real);
  expect((await readFont({ file, site }))?.length).toBeGreaterThan(10_000);
  expect(await readFont({ file, site: {} })).toBeUndefined();
});

it.each([
  ['missing.woff2', undefined, /ENOENT/],
  ['text.woff2', 'no font', /no WOFF2/],
  ['large.woff2', `wOF2${'x'.repeat(30_000)}`, /30004 bytes, more than 30000/],
])('%s is refused, with what to do', async (name, content, why) => {
  await using folder = await temporaryFolder();
  if (content !== undefined) await writeFile(path.join(folder.path, name), content);
  const config = { file: path.join(folder.path, 'site.config.ts'), site: { font: name } };
  await expect(readFont(config)).rejects.toMatchObject({
    code: 'font-unusable',
    why: expect.stringMatching(why),
    fix: expect.stringContaining('site.font'),
  });
});
