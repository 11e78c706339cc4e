import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { buildSite, configFor, readTree } from '../support/build.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 2, vehicles: 2, media: 'none' }));

it('shows cards of filtered vehicles with facts and their dealers, as docs/extending.md describes', async () => {
  const folder = tempFolder();
  const docs = await readFile('docs/extending.md', 'utf8');
  const [cards] = /^\{% from "partials\/card\.njk".*\n.*below.*$/m.exec(docs) ?? [''];
  const [filter] = /^eleventyConfig\.addFilter\('below'[\s\S]*?^\);$/m.exec(docs) ?? [''];
  const [vehicle] = service.data.dealers[0]?.vehicles ?? [];
  await writeFilesBelow(folder, {
    'pages/cheap.njk': `---\ntitle: Cheap\n---\n{% extends "layouts/base.njk" %}\n{% block content %}<h1>Cheap</h1>\n${cards}\n{% endblock %}`,
    'eleventy.config.js': `export default (eleventyConfig) => { ${filter} };`,
    'stock.csv': `Reg,Make,Year,Price\n${vehicle?.vrm},Ford,2017,"£9,995"\n`,
  });
  const dealers = service.data.dealers.map(({ id, name }, index) => ({
    id,
    name,
    slug: `dealer-${index + 1}`,
    address: { street: '1 High Street', city: 'Leeds', country: 'GB' },
    ...(index === 0 && { stock: { file: 'stock.csv' } }),
  }));
  const config = configFor(service, { file: `${folder}/site.config.json`, dealers });
  const { output } = await buildSite(config, folder);
  const page = (await readTree(output)).get('cheap/index.html') ?? '';
  expect(page.match(/<span class="facts">[\s\S]*?<\/span>/g)).toEqual([
    `<span class="facts">2017<br>${dealers[0]?.name}, Leeds</span>`,
  ]);
});
