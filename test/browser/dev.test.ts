import { rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { showWhileChanging } from '../../src/dev/dev.ts';
import { startDevServer } from '../../src/dev/server.ts';
import { build, configFor, readTree, recordingConsole, temporaryFolder } from '../support/build.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { visit } from '../support/page.ts';
import { startService } from '../support/service.ts';
import { sharedBrowser } from '../support/shared.ts';
import { writeFilesBelow } from '../support/theme.ts';

const browser = await sharedBrowser();
const folder = await forAllTests(temporaryFolder());
const service = await forAllTests(startService({ dealers: 1, vehicles: 4, media: 'none' }));
const server = await forAllTests(startDevServer(0));
const theme = path.join(folder.path, 'theme');
const config = configFor(service, {
  site: { title: 'Test Motors', url: `${server.origin}/cars`, theme },
});
await writeFilesBelow(theme, { 'assets/theme.css': 'h1{color:rgb(1, 2, 3)}' });
await forAllTests(
  showWhileChanging({
    config,
    cacheDir: path.join(folder.path, 'cache'),
    server,
    console: recordingConsole(),
    signal: new AbortController().signal,
  }),
);

it('serves what a build publishes, and nothing else but its own script', async () => {
  const { output, error } = await build(config, folder.path);
  expect(error).toBeUndefined();
  // Records are for builds elsewhere, and nobody looks at them here.
  const files = [...(await readTree(output))].filter(([name]) => !name.startsWith('api/'));
  expect(files.length).toBeGreaterThan(30);
  for (const [name, published] of files) {
    const answer = await fetch(`${server.origin}/cars/${name}`);
    const body = Buffer.from(await answer.arrayBuffer()).toString('latin1');
    const plain = body.replace(
      /<script defer src="\/__dev\/client\.js" data-version="\d+"><\/script>/,
      '',
    );
    expect(plain === published, `${name} is as published`).toBe(true);
  }
  expect((await fetch(`${server.origin}/cars/nothing/`)).status).toBe(404);
  expect((await fetch(`${server.origin}/cars/media/..%2f..%2fpackage.json`)).status).toBe(404);
});

it('brings changes of templates, words, partials and style sheets into the open page', async () => {
  await using open = await visit(browser, `${server.origin}/cars/dealer-1/`);
  const { page, problems } = open;
  await page.evaluate('window.mark = "same page"');
  await writeFilesBelow(theme, { 'assets/theme.css': 'h1{color:rgb(9, 8, 7)}' });
  // Asked from outside: the pages forbid eval, which waitForFunction needs.
  await expect
    .poll(() => page.evaluate('getComputedStyle(document.querySelector("h1")).color'))
    .toBe('rgb(9, 8, 7)');
  expect(await page.evaluate('window.mark')).toBe('same page');

  await writeFilesBelow(theme, { 'words.json': '{"en":{"search":"Look for"}}' });
  await page.waitForSelector('text=Look for');
  await writeFilesBelow(theme, { 'partials/foot.njk': '<footer>Our foot</footer>' });
  await page.waitForSelector('footer:has-text("Our foot")');

  await writeFilesBelow(theme, {
    'partials/foot.njk': '\n<footer>{{ page_.nothing }}</footer>',
  });
  await page.waitForSelector('pre:has-text("foot.njk cannot be rendered: line 2")');
  await rm(path.join(theme, 'partials/foot.njk'));
  await page.waitForSelector('svg.icons', { state: 'attached' });
  await writeFilesBelow(theme, { 'words.json': '{"en":{"serch":"x"}}' });
  await page.waitForSelector('pre:has-text("en.serch: is not a text of the site")');
  await writeFilesBelow(theme, { 'words.json': '{}' });
  await page.waitForSelector('text=Search');
  expect(problems.filter((text) => !text.includes('500'))).toEqual([]);
});
