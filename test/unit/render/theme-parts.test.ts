import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkTemplates } from '../../../src/render/theme/checks.ts';
import { writeFilesBelow } from '../../support/files-below.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { shippedTheme, themeIn } from '../../support/theme.ts';
import { thrownBy } from '../../support/thrown.ts';

const ours = (name: string) => readFileSync(path.resolve('templates', name), 'utf8');
const BASE = ours('layouts/base.njk');
const LINK = '<a href="{{ site.home }}about/">About us</a>';
const NAMES = readdirSync('templates/pages').map((name) => `pages/${name}`);
const COPIES = Object.fromEntries(NAMES.map((name) => [name, ours(name)]));
const FROM_WINDOWS = Object.fromEntries(
  NAMES.map((name) => [name, `\uFEFF${ours(name).replaceAll('\n', '\r\n')}`]),
);
const PAGE = '{% extends "layouts/base.njk" %}{% block content %}<h1>x</h1>';

/** The problem of a site with these files of a theme. Undefined if there is none. */
async function problemOf(files: Readonly<Record<string, string>>) {
  const folder = tempFolder();
  await writeFilesBelow(path.join(folder, 'theme'), files);
  const theme = await themeIn(folder);
  const error = thrownBy(() => checkTemplates(theme));
  if (error) error.message = error.message.replace(`${folder}/`, '');
  return error;
}

it('the built-in templates are complete', async () => {
  const theme = await shippedTheme();
  expect(() => checkTemplates(theme)).not.toThrow();
});

describe('a theme file without parts that other templates use stops the build', () => {
  it.each(['head', 'body', 'content'])('if its frame has no block %s', async (block) => {
    const frame = BASE.replace(`{% block ${block} %}`, `{% block ${block}_ %}`);
    const problem = await problemOf({ 'layouts/base.njk': frame });
    expect(problem).toMatchObject({
      code: 'theme-part-missing',
      exitCode: 2,
      message: `The theme's file theme/layouts/base.njk lacks the block "${block}".`,
      why: expect.stringMatching(/^templates\/\S+\.njk, line \d+, fills it\.$/),
    });
  });

  it('if its frame lacks a block that a page of the theme fills', async () => {
    const files = {
      'layouts/base.njk': BASE.replace('{% block content %}{% endblock %}', ''),
      'pages/404.njk': `${PAGE}{% endblock %}`,
    };
    const problem = await problemOf(files);
    expect(problem?.message).toContain('theme/layouts/base.njk lacks the block "content"');
  });
});

it.each<[string, Readonly<Record<string, string>>]>([
  ['a link at the foot of all pages', { 'partials/foot.njk': LINK }],
  ['a copy of every layout', COPIES],
  ['copies with line breaks and the byte order mark of Windows', FROM_WINDOWS],
  [
    'a page whose template has a computed name',
    {
      'pages/404.njk': `${PAGE}{% include page_.any %}<use href="#any"/>{% endblock %}`,
    },
  ],
])('nothing stops the build: %s', async (_, files) => {
  expect(await problemOf(files)).toBeUndefined();
});
