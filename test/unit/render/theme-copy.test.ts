import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { compileAssets } from '../../../src/render/compile-assets.ts';
import { checkTemplates } from '../../../src/render/theme/checks.ts';
import { copyIntoTheme, TEMPLATES } from '../../../src/render/theme/theme.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { shippedTheme, themeIn } from '../../support/theme.ts';

const NAME = 'partials/card.njk';

test('copies every file into a new theme, and accepts the copies, which change nothing', async () => {
  const folder = tempFolder();
  for (const file of await readdir(TEMPLATES, { recursive: true, withFileTypes: true })) {
    const name = path.relative(TEMPLATES, path.join(file.parentPath, file.name));
    if (file.isFile()) await copyIntoTheme(name, path.join(folder, 'theme'));
  }
  const theme = await themeIn(folder);
  checkTemplates(theme);
  expect(await compileAssets(theme)).toEqual(await compileAssets(await shippedTheme()));
});

test('keeps a file that the theme already has', async () => {
  const folder = tempFolder();
  const theme = path.join(folder, 'theme');
  await mkdir(path.join(theme, 'partials'), { recursive: true });
  await writeFile(path.join(theme, NAME), 'mine');
  await expect(copyIntoTheme(NAME, theme)).rejects.toMatchObject({ code: 'theme-copy-exists' });
  expect(await readFile(path.join(theme, NAME), 'utf8')).toBe('mine');
});

test.each([
  ['partials/cart.njk', NAME],
  ['card.njk', NAME],
  ['header', 'partials/header.njk'],
  [
    'pages/gallery',
    'assets/gallery.css or assets/gallery.js or layouts/gallery.njk or partials/gallery.njk',
  ],
])('suggests for %s: %s', async (name, full) => {
  const folder = tempFolder();
  await expect(copyIntoTheme(name, folder)).rejects.toMatchObject({
    code: 'theme-copy-unknown',
    fix: `Choose one of them. Did you mean ${full}?`,
  });
});

test('never copies outside of the theme', async () => {
  const folder = tempFolder();
  const theme = path.join(folder, 'theme');
  await mkdir(theme);
  await mkdir(path.join(folder, 'elsewhere'));
  await symlink('../elsewhere', path.join(theme, 'partials'));
  await expect(copyIntoTheme(NAME, theme)).rejects.toMatchObject({ code: 'theme-file-refused' });
  await expect(copyIntoTheme('../package.json', theme)).rejects.toMatchObject({
    code: 'theme-copy-unknown',
  });
});
