import { expect, it } from 'vitest';
import { build, buildSite, readSite } from '../support/build.ts';
import { configIn } from '../support/custom-pages.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 2, vehicles: 2, media: 'none' }));

const page = (title: string, navigation = '') =>
  `---\nlayout: page.njk\ntitle: ${title}\n${navigation}---\nText`;

/** URLs and texts of footer links to custom pages. */
const linksOf = (html = '') =>
  [...html.matchAll(/<li><a href="([^"]+)">([^<]+)<\/a><\/li>/g)]
    .map(([, url, text]) => `${url} ${text}`)
    .filter((link) => /about|team|shop|part/.test(link));

it('shows links to custom pages on every page in every language and changes no other file', async () => {
  const folder = tempFolder();
  const { site, ...config } = configIn(service, folder);
  const both = { ...config, site: { ...site, locales: ['de-DE'] } };
  const made = async (files: Record<string, string>) => {
    await writeFilesBelow(folder, files);
    const { output, report } = await buildSite(both, folder);
    return { files: await readSite(output), report };
  };
  const team = page('Our team', 'eleventyNavigation: { key: team, title: Team, order: 2 }\n');
  const before = await made({ 'pages/about.md': page('About us'), 'pages/team.md': team });
  const after = await made({
    // Data of a folder and computed data also count, like in Eleventy.
    'pages/about.md': page('About us', 'permalink: "/{{ title | slugify }}/"\n'),
    'pages/pages.json': '{"eleventyNavigation": {"key": "About <us>", "order": 1}}',
    'pages/shop.md': page(
      'Shop',
      'eleventyNavigation: { key: s, order: 0, url: "https://shop.example/" }\n',
    ),
    'pages/part.md': page('Part', 'eleventyNavigation: { key: p, parent: team }\n'),
    'pages/group.md': page('Group', 'eleventyNavigation: { key: g }\npermalink: false\n'),
  });

  let shown = 0;
  for (const [file, html] of after.files) {
    if (!html.includes('<footer class="footer">')) continue;
    shown++;
    expect(linksOf(before.files.get(file)), file).toEqual(
      before.files.has(file) ? ['/team/ Team'] : [],
    );
    expect(linksOf(html), file).toEqual([
      'https://shop.example/ s',
      '/about-us/ About &lt;us&gt;',
      '/team/ Team',
    ]);
  }
  const withFoot = [...after.files].filter(([, text]) => text.includes('<footer class="footer">'));
  expect(withFoot.map(([file]) => file)).toEqual(
    expect.arrayContaining(['index.html', 'de/index.html', 'dealer-1/index.html', '404.html']),
  );
  expect(shown).toBeGreaterThan(10);
  // Other files are unchanged: data, records, pages for frames.
  for (const [file, bytes] of before.files) {
    if (/files\.json$|^sitemap|^about\//.test(file) || after.files.get(file) === bytes) continue;
    expect(
      withFoot.some(([name]) => name === file),
      file,
    ).toBe(true);
  }
  expect((await made({})).report.outcome).toBe('unchanged');
});

it.each([
  ['without a key', 'eleventyNavigation: { order: 1 }', /team\.md needs a key/],
  ['with an order that is not a number', 'eleventyNavigation: { key: a, order: x }', /is a number/],
  ['that cannot be read', 'eleventyNavigation: { key: [', /team\.md/],
])('refuses a page %s before the first request', async (_, navigation, why) => {
  const folder = tempFolder();
  await writeFilesBelow(folder, { 'pages/team.md': page('Team', `${navigation}\n`) });
  service.requests.clear();
  const { error, exitCode } = await build(configIn(service, folder), folder);
  expect(error).toMatchObject({ why: expect.stringMatching(why) });
  expect(exitCode).toBe(2);
  expect(service.requests.list()).toEqual([]);
});
