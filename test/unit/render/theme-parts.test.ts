import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkTemplates } from '../../../src/render/theme/checks.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { shippedTheme, themeIn, writeFilesBelow } from '../../support/theme.ts';

const ours = (name: string) => readFileSync(path.resolve('templates', name), 'utf8');
const ICONS = ours('partials/icons.njk');
const BASE = ours('layouts/base.njk');
const LINK = '<a href="{{ site.home }}about/">About us</a>';
const MORE = `${ICONS.replace('m15 5-7 7 7 7', 'M0 0')}<svg><symbol id="own"/></svg>`;
const LOOPED =
  '<svg>{% for name in site.data.names %}<symbol id="i-{{ name }}"/>{% endfor %}</svg>';
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
  try {
    checkTemplates(theme);
  } catch (error) {
    const { message, why, fix, code, exitCode } = error as Record<string, string>;
    return { message: message?.replace(`${folder}/`, ''), why, fix, code, exitCode };
  }
  return undefined;
}

it('the built-in templates are complete', async () => {
  const theme = await shippedTheme();
  expect(() => checkTemplates(theme)).not.toThrow();
});

describe('a theme file without parts that other templates use stops the build', () => {
  it('if it has no icons', async () => {
    expect(await problemOf({ 'partials/icons.njk': LINK })).toEqual({
      code: 'theme-part-missing',
      exitCode: 2,
      message: expect.stringMatching(
        /^The theme's file theme\/partials\/icons\.njk lacks elements with the ids i-car, i-close, .*i-left, .*i-zoom\.$/,
      ),
      why: expect.stringMatching(/^templates\/\S+\.njk, line \d+, uses #i-\w+\.$/),
      fix: expect.stringContaining('templates/partials/icons.njk'),
    });
  });

  it.each(['i-left', 'i-whatsapp'])('if it lacks one icon: %s', async (id) => {
    const without = ICONS.replace(new RegExp(`<symbol id="${id}".*?</symbol>`, 's'), '');
    const problem = await problemOf({ 'partials/icons.njk': without });
    expect(problem?.message).toBe(
      `The theme's file theme/partials/icons.njk lacks an element with the id ${id}.`,
    );
  });

  it('if its frame of all pages does not include the icons', async () => {
    const frame = BASE.replace('{% include "partials/icons.njk" %}', '');
    const problem = await problemOf({ 'layouts/base.njk': frame });
    expect(problem?.message).toMatch(
      /theme\/layouts\/base\.njk lacks elements with the ids i-car, i-close/,
    );
    const embed = ours('pages/embed.njk').replace('{% include "partials/icons.njk" %}', '');
    const other = await problemOf({ 'pages/embed.njk': embed });
    expect(other?.message).toMatch(
      /theme\/pages\/embed\.njk lacks elements with the ids i-car, i-close/,
    );
  });

  it.each(['head', 'body', 'content'])('if its frame has no block %s', async (block) => {
    const frame = BASE.replace(`{% block ${block} %}`, `{% block ${block}_ %}`);
    const problem = await problemOf({ 'layouts/base.njk': frame });
    expect(problem).toMatchObject({
      code: 'theme-part-missing',
      exitCode: 2,
      message: `The theme's file theme/layouts/base.njk lacks the block "${block}".`,
      why: expect.stringMatching(/^templates\/pages\/\S+\.njk, line \d+, fills it\.$/),
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

  it('if its page uses an undefined icon', async () => {
    const problem = await problemOf({
      'pages/404.njk': `${PAGE}\n<svg><use href="#i-lfet"/></svg>{% endblock %}`,
    });
    expect(problem?.message).toMatch(/pages\/404\.njk lacks an element with the id i-lfet\.$/);
    expect(problem?.why).toMatch(/theme\/pages\/404\.njk, line 2, uses #i-lfet\.$/);
  });
});

it.each<[string, Readonly<Record<string, string>>]>([
  ['a link at the foot of all pages', { 'partials/foot.njk': LINK }],
  ['icons with another drawing and one more', { 'partials/icons.njk': MORE }],
  ['icons that a loop makes', { 'partials/icons.njk': LOOPED }],
  [
    'icons in the frame itself',
    { 'layouts/base.njk': BASE.replace('{% include "partials/icons.njk" %}', ICONS) },
  ],
  ['a copy of every layout', COPIES],
  ['copies with line breaks and the byte order mark of Windows', FROM_WINDOWS],
  [
    'a page that brings its own icon',
    { 'pages/404.njk': `${PAGE}<svg><symbol id='x'/><use href='#x'/></svg>{% endblock %}` },
  ],
  [
    'a page whose template has a computed name',
    {
      'pages/404.njk': `${PAGE}{% include page_.any %}<use href="#any"/>{% endblock %}`,
    },
  ],
])('nothing stops the build: %s', async (_, files) => {
  expect(await problemOf(files)).toBeUndefined();
});
