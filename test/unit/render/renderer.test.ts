import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { writePages } from '../../../src/render/render.ts';
import { pageRenderer } from '../../../src/render/theme/page-renderer.ts';
import type { PageView, SiteView } from '../../../src/site/views/view.ts';
import { writeFilesBelow } from '../../support/files-below.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { themeIn } from '../../support/theme.ts';

const site = { lang: 'en' } as SiteView;

/** Renders a page of a theme into a folder and returns the files of the folder. */
async function rendered(
  file: string,
  { view = file, there }: { view?: string; there?: string } = {},
) {
  const folder = tempFolder();
  await writeFilesBelow(folder, {
    'theme/pages/404.njk': '\uFEFF---js\r\n{}\r\n---\r\nPage\r\n{{ page_.title }}',
    'site/x': '',
  });
  const target = path.join(folder, 'site');
  if (there !== undefined) await writeFile(path.join(target, file), there);
  const render = pageRenderer([site], await themeIn(folder));
  const page = { lang: 'en', title: '1', file: view } as PageView;
  const planned = [{ layout: 'pages/404.njk', file, key: '', view: () => page }];
  const error = await writePages(planned, { site, render }, { folder: target }).then(
    () => undefined,
    (problem: Error) => problem.message,
  );
  const text = await readFile(path.join(target, file), 'utf8').catch(() => undefined);
  return { error, text, files: (await readdir(folder, { recursive: true })).sort() };
}

describe('Eleventy writes pages', () => {
  const files = ['site', 'site/x', 'theme', 'theme/pages', 'theme/pages/404.njk'];

  it('to the planned file', async () => {
    const { error, text } = await rendered('/404.html');
    expect([error, text]).toEqual([undefined, 'Page\n1']);
  });

  it('never over an existing file, which may be a hard link to a published one', async () => {
    const { error, text } = await rendered('/404.html', { there: 'published' });
    expect(error).toContain('exists already');
    expect(text).toBe('published');
  });

  it.each(['/other.html', '../other.html'])('never to %s, which is not planned', async (view) => {
    const result = await rendered('/404.html', { view });
    expect(result.error).toContain('is not a planned page');
    expect(result.files).toEqual(files);
  });
});
