/**
 * The same vehicles as a plain Eleventy site, following its documentation: one paginated template with its
 * markup for each kind of page, a string permalink, and a data file. Eleventy gets our finished templates
 * and view models, so it has no other work.
 */
import { createWriteStream } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import type { LoadedConfig } from '../../src/config/load.ts';
import { SecretSearch } from '../../src/config/secret-search.ts';
import { prepareSite } from '../../src/publish/build/prepare.ts';
import { BuildMemory } from '../../src/publish/memory/memory.ts';
import { readUserFiles } from '../../src/render/user-files.ts';
import { loadStock } from '../../src/stock/load.ts';

// Line by line, because 5,000 vehicles exceed the maximum length of a string.
const DATA = `import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
export default async () => {
  const vehicles = [];
  const lines = createInterface({ input: createReadStream('vehicles.ndjson') });
  for await (const line of lines) vehicles.push(JSON.parse(line));
  return vehicles;
};
`;

const CONFIG = `export default (eleventyConfig) => {
  eleventyConfig.setNunjucksEnvironmentOptions({ autoescape: true });
  return { dir: { input: 'src', output: 'public' }, htmlTemplateEngine: 'njk' };
};
`;

/** A paginated template: the content of \`page_\`, its permalink and its markup. */
const paginated = (alias: string, permalink: string, markup: string): string =>
  `---
pagination:
  data: vehicles
  size: 1
  alias: vehicle_
permalink: "${permalink}"
---
{% set page_ = vehicle_.${alias} %}${markup}`;

/**
 * Writes the site.
 *
 * @param options configuration of our own build, its cache with all thumbnails, and the clock.
 */
export async function writeEleventySite(
  config: LoadedConfig,
  folder: string,
  { cacheDir, now }: { cacheDir: string; now: number },
): Promise<void> {
  const source = path.join(folder, 'src');
  await mkdir(path.join(source, '_data'), { recursive: true });
  for (const name of ['layouts', 'partials']) {
    await cp(path.join('templates', name), path.join(source, '_includes', name), {
      recursive: true,
    });
  }
  const layout = (name: string) => readFile(path.join('templates/pages', `${name}.njk`), 'utf8');
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }\n');
  await writeFile(path.join(folder, 'eleventy.config.js'), CONFIG);
  await writeFile(path.join(source, '_data', 'vehicles.js'), DATA);
  await writeFile(
    path.join(source, 'vehicle.njk'),
    paginated('page', '{{ vehicle_.page.file }}', await layout('vehicle')),
  );
  await writeFile(
    path.join(source, 'embed.njk'),
    paginated('embed', '{{ vehicle_.embed.file }}', await layout('embed')),
  );
  for (const name of ['media', 'oembed']) {
    await writeFile(
      path.join(source, `${name}.njk`),
      paginated('page', `{{ vehicle_.${name}.file }}`, `{{ vehicle_.${name}.text | safe }}`),
    );
  }
  const memory = new BuildMemory(config, { cacheDir, now: Date.now() });
  const stock = await loadStock({ config, cacheDir, now, memory: (dealer) => memory.of(dealer) });
  const { plan } = await prepareSite(config, stock, {
    cacheDir,
    now,
    userFiles: await readUserFiles(config),
    pictures: memory.pictures(stock, new SecretSearch([])),
  });
  await writeFile(path.join(source, '_data', 'site.json'), JSON.stringify(plan.site));
  const lines = createWriteStream(path.join(folder, 'vehicles.ndjson'));
  for (const dealer of plan.dealers()) {
    for (const { pages, files } of dealer.vehicles) {
      const [page, embed] = pages;
      const [media, oembed] = files.map((file) => ({ file: file.file, text: file.content() }));
      lines.write(
        `${JSON.stringify({ page: page?.view(), embed: embed?.view(), media, oembed })}\n`,
      );
    }
    dealer.release();
  }
  lines.end();
  await finished(lines);
}
