import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { buildSite, configFor } from '../support/build.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 2, media: 'none' }));

it('layouts, partials, the style sheet and texts of a theme are on the published pages', async () => {
  const folder = tempFolder();
  const theme = path.join(folder, 'theme');
  await writeFilesBelow(theme, {
    'pages/404.njk':
      '{% extends "layouts/base.njk" %}{% block content %}<h1>Lost?</h1><p>Go on.</p>{% endblock %}',
    'partials/foot.njk':
      '<footer><img src="{{ site.assets[\'img/mark.svg\'] }}" alt="Mark"></footer>',
    'assets/img/mark.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>',
    'assets/theme.css': '.own-rule{background:url("img/mark.svg")}',
    'assets/type.woff2': 'font',
    'README.md': 'Not of the theme.',
    '.DS_Store': 'x',
    'words.json': JSON.stringify({ en: { contact: 'Speak to {dealer}', share: 'Tell a friend' } }),
  });
  const site = { title: 'Test Motors', url: 'https://cars.example', font: 'system', theme };
  const { output } = await buildSite(configFor(service, { site }), folder);
  const read = (file: string) => readFile(path.join(output, file), 'utf8');
  expect(await read('404.html')).toContain('<h1>Lost?</h1>');
  const front = await read('index.html');
  expect(front).toMatch(/<footer><img src="\/assets\/img\/mark\.svg\?v=[0-9a-f]{10}" alt="Mark">/);
  expect(await read('assets/site.css')).toMatch(
    /\.own-rule\{background:url\(\/assets\/img\/mark\.svg\?v=[0-9a-f]{10}\)\}\n$/,
  );
  expect(front).toContain('font-src &#39;self&#39;');
  const slug = service.data.dealers[0]?.vehicles[0]?.vrm.toLowerCase().replace(/\s/g, '') ?? '';
  expect(await read(`dealer-1/${slug}/index.html`)).toContain('<span>Tell a friend</span>');
});
