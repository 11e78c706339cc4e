import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkTemplates } from '../../../src/render/theme/checks.ts';
import { pageRenderer } from '../../../src/render/theme/page-renderer.ts';
import type { PageView, SiteView } from '../../../src/site/views/view.ts';
import { writeFilesBelow } from '../../support/files-below.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { themeIn } from '../../support/theme.ts';
import { thrownBy } from '../../support/thrown.ts';

const HEAD = '{% extends "layouts/base.njk" %}\n';
const BASE =
  'a\n{% block head %}{% endblock %}\n{% block body %}{% block content %}base{% endblock %}{% endblock %}\nz\n';
/** The blocks that other layouts fill. */
const BLOCKS =
  '{% block head %}{% endblock %}{% block body %}{% block content %}{% endblock %}{% endblock %}';
const PAGE = `${HEAD}{% block content %}\n<h1>x</h1>\n{% endblock %}\n`;
const PIECE = '{% macro piece(view) %}\n<b>{{ view.name }}</b>\n{% endmacro %}\n';
const DATA = { site: { words: { a: 'A' }, n: 5 }, page_: { title: 'T', view: { name: 'N' } } };

type Files = Readonly<Record<string, string>>;

/** Printed error of a theme whose front page cannot be rendered. Undefined without an error. */
async function faultOf(files: Files) {
  const folder = tempFolder();
  const below = { 'pages/404.njk': PAGE, 'layouts/base.njk': BASE, ...files };
  await writeFilesBelow(path.join(folder, 'theme'), below);
  // Without the built-in layouts, which need more than this data.
  const theme = await themeIn(folder);
  const error = thrownBy(() => {
    checkTemplates(theme);
    const render = pageRenderer([DATA.site as unknown as SiteView], theme);
    render({ layout: 'pages/404.njk', view: () => DATA.page_ as unknown as PageView });
  });
  if (error) error.message = error.message.replace(folder, '');
  return error;
}

const inBase = (text: string): Files => ({ 'layouts/base.njk': `${BASE}\n${text}\n` });
const inBlock = (text: string): Files => ({
  'pages/404.njk': `${HEAD}{% block content %}\n\n${text}\n{% endblock %}\n`,
});
const included = (text: string): Files => ({
  ...inBlock('{% include "partials/own.njk" %}'),
  'partials/own.njk': `x\n${text}\n`,
});
const inMacro = (text: string): Files => ({
  'pages/404.njk': `${HEAD}{% from "partials/own.njk" import piece %}\n{% block content %}{{ piece(page_.view) }}{% endblock %}`,
  'partials/own.njk': `{% macro piece(view) %}\n\n\n${text}\n{% endmacro %}\n`,
});
/** In base.njk, after an include and a macro call: Nunjucks runs it within those. */
const behindOthers = (text: string): Files => ({
  'layouts/base.njk': `{% from "partials/own.njk" import piece %}\n{% include "partials/inner.njk" %}\n{{ piece(page_.view) }}\n${text}\n${BLOCKS}`,
  'partials/own.njk': PIECE,
  'partials/inner.njk': 'inner\n\n\n\n\n',
});
const beforeSuper = (text: string): Files => ({
  'layouts/base.njk': `a\n{% block content %}\n${text}\n{% endblock %}{% block head %}{% endblock %}{% block body %}{% endblock %}`,
  'pages/404.njk': `${HEAD}\n\n\n\n{% block content %}{{ super() }}{% endblock %}`,
});

const PLACES: readonly [string, (text: string) => Files, file: string, line: number][] = [
  ['base.njk', inBase, 'layouts/base.njk', 6],
  ['a block that super() takes', beforeSuper, 'layouts/base.njk', 3],
  ['base.njk behind others', behindOthers, 'layouts/base.njk', 4],
  ['a block of a layout', inBlock, 'pages/404.njk', 4],
  ['an included partial', included, 'partials/own.njk', 2],
  ['a macro', inMacro, 'partials/own.njk', 4],
];

const FAULTS: readonly [string, text: string, why: string][] = [
  ['a name without a value', '<i>{{ site.wrds }}</i>', '{{ site.wrds }} has no value'],
  ['a name of nothing', '{{ siet.words.a }}', '{{ siet.words.a }} has no value'],
  ['a filter of nothing', '{{ site.wrds | upper }}', 'input of the filter "upper" has no value'],
  ['a loop over nothing', '{% for a in site.lst %}x{% endfor %}', 'list of "for" has no value'],
  ['a call of nothing', '{{ site.words.nope(1) }}', 'Unable to call `site["words"]["nope"]`'],
  ['an unknown filter', '{{ site.words.a | uper }}', 'filter not found: uper'],
  ['an unknown filter that is never run', '{% if nope %}{{ 1 | uper }}{% endif %}', 'uper'],
  ['an unknown test', '{% if site.n is evn %}x{% endif %}', 'test not found: evn'],
  ['a filter that fails', '{{ [{}, {}] | sort(false, false, "x") }}', 'the filter "sort" fails: '],
  ['"in" of a number', '{% if "x" in site.n %}y{% endif %}', 'Cannot use "in" operator'],
  ['an unknown tag', '{% iff x %}', 'unknown block tag: iff'],
  ['an expression that is cut', '{{ site.words. }}', 'expected name as lookup value'],
  ['a template that is not there', '{% include "partials/nope.njk" %}', 'partials/nope.njk'],
  ['one whose name is made', '{% include "A" + ".njk" %}', 'template not found: A.njk'],
  ['one without a name', '{% include site.nope %}', 'template names must be a string'],
  [
    'a macro that is not there',
    '{% from "partials/icons.njk" import icn %}',
    "cannot import 'icn'",
  ],
];

describe.each(PLACES)('in %s', (_, write, file, line) => {
  it.each(FAULTS)('%s is reported with its file and line', async (__, text, why) => {
    expect(await faultOf(write(text))).toMatchObject({
      message: `The template /theme/${file} cannot be rendered: line ${line}.`,
      why: expect.stringContaining(why),
      exitCode: 2,
    });
  });

  it('a correct template has no finding', async () => {
    expect(
      await faultOf(write('{# {{ a | nope }} #}{{ "a" | upper }}{{ b | d("b") | upper }}')),
    ).toBeUndefined();
  });
});

it.each([
  ['a tag that is not closed', '{% for a in site.words %}x', 'A tag above is not closed'],
  ['a path without quotes', '{% include partials/own.njk %}', 'Check the path: it is in quotes'],
  ['a name without a value', '{{ site.wrds }}', 'docs/view-models.md lists the names'],
  [
    'a filter of custom pages',
    '{{ 8 | hour }}',
    'Filters and shortcodes of eleventy.config.js work only in pages/',
  ],
])('%s is reported with its fix', async (_, text, fix) => {
  expect(await faultOf(inBlock(text))).toMatchObject({ fix: expect.stringContaining(fix) });
});

it.each<[string, Files, message: string, why: string]>([
  [
    'a block twice',
    {
      'pages/404.njk': `${HEAD}{% block content %}{% endblock %}\n\n{% block content %}x{% endblock %}`,
    },
    'pages/404.njk cannot be rendered: line 4.',
    'Block "content" defined more than once',
  ],
  [
    'super() of nothing',
    {
      'layouts/base.njk':
        '{% block content %}\n{{ super() }}\n{% endblock %}{% block head %}{% endblock %}{% block body %}{% endblock %}',
      'pages/404.njk': HEAD,
    },
    'layouts/base.njk cannot be rendered: line 2.',
    'super() in the block "content", which no layout below has',
  ],
  [
    'a filter in a text that is set',
    {
      'pages/404.njk': `${HEAD}{% set x %}\n{{ 1 | uper }}{% endset %}{% block content %}{% endblock %}`,
    },
    'pages/404.njk cannot be rendered: line 3.',
    'filter not found: uper',
  ],
  [
    'a name in the arguments of a macro',
    {
      'pages/404.njk': `${HEAD}{% block content %}{% call frame() %}\n\n{{ page_.tilte }}{% endcall %}{% endblock %}{% from "partials/own.njk" import frame %}`,
      'partials/own.njk': '{% macro frame() %}<b>{{ caller() }}</b>{% endmacro %}',
    },
    'pages/404.njk cannot be rendered: line 4.',
    '{{ page_.tilte }} has no value',
  ],
  [
    'partials that include each other',
    {
      ...inBase('{% include "partials/header.njk" %}'),
      'partials/header.njk': '{% include "partials/head.njk" %}',
      'partials/head.njk': 'x\n{% include "partials/header.njk" %}',
    },
    'partials/head.njk cannot be rendered: line 2.',
    'it includes itself through partials/header.njk',
  ],
])('an error of Nunjucks without a line: %s', async (_, files, message, why) => {
  const fault = await faultOf(files);
  expect(fault?.message).toContain(message);
  expect(fault?.why).toContain(why);
});

it('templates that do not use the failed one are not named', async () => {
  const fault = await faultOf({
    'pages/404.njk': `${HEAD}{% block head %}{% include "partials/other.njk" %}{% endblock %}`,
    'layouts/base.njk': `${BLOCKS}\n{% include "partials/other.njk" %}\n{% include "partials/own.njk" %}`,
    'partials/other.njk': 'other',
    'partials/own.njk': '{{ page_.nope }}',
  });
  expect(fault?.message).toContain('partials/own.njk cannot be rendered: line 1.');
  expect(fault?.why).toMatch(/^\{\{ page_\.nope \}\} has no value, used in \S+base\.njk, line 3$/);
});

it("a fault of a theme's layout in a built-in partial is attributed to the theme", async () => {
  const used = async (content: string) =>
    faultOf({
      'pages/404.njk': `${HEAD}{% from "partials/gallery.njk" import gallery %}\n{% block content %}${content}{% endblock %}`,
    });
  expect(await used('\n{% include "partials/social.njk" %}')).toMatchObject({
    message: expect.stringMatching(/^The template templates\/partials\/social\.njk .* line 3\.$/),
    why: expect.stringMatching(/^\{\{ site\.title \}\} has .*, used in \S+404\.njk, line 4$/),
    exitCode: 2,
  });
  const view =
    '{ label: "", shape: "", items: [{ kind: "picture", position: 1, colourClass: "", full: "", alt: "", sources: [] }] }';
  expect(
    await used(
      `{{ gallery(${view}, { carousel: "", position: "", viewer: "", close: "", zoom: "", pictureFailed: "" }, "", false) }}`,
    ),
  ).toMatchObject({
    message: expect.stringMatching(/^The template templates\/partials\/image\.njk .* line 27\.$/),
    why: expect.stringMatching(
      /^\{\{ view\.src \}\} has no value, used in templates\/partials\/gallery\.njk, line \d+, used in \S+404\.njk, line 3$/,
    ),
    exitCode: 2,
  });
});

it("a theme's partial without a macro that built-in layouts import is named instead of the layouts", async () => {
  const folder = tempFolder();
  await writeFilesBelow(path.join(folder, 'theme'), { 'partials/contacts.njk': PIECE });
  const theme = await themeIn(folder);
  expect(() => checkTemplates(theme)).toThrow(
    expect.objectContaining({
      exitCode: 2,
      message: expect.stringMatching(/theme\/partials\/contacts\.njk cannot be rendered\.$/),
      why: expect.stringMatching(
        /^cannot import 'contacts': .*, used in templates\/pages\/dealer\.njk, line 11$/,
      ),
    }),
  );
});

it('names that begin with a dot are relative to their template', async () => {
  const files = {
    ...inBlock('{% include "../partials/own.njk" %}'),
    'partials/own.njk': '{% include "./inner.njk" %}',
    'partials/inner.njk': 'inner {{ page_.title }}',
  };
  expect(await faultOf(files)).toBeUndefined();
  const wrong = { ...files, 'partials/inner.njk': '{{ page_.tilte }}' };
  expect((await faultOf(wrong))?.message).toContain(
    'partials/inner.njk cannot be rendered: line 1',
  );
});

describe('a value without output', () => {
  it.each<[string, Files, message: string]>([
    ['a partial', { 'partials/crad.njk': 'x' }, "Nothing uses the theme's file"],
    [
      'partials that only use each other',
      {
        'partials/a.njk': '{% include "partials/b.njk" %}',
        'partials/b.njk': '{% if site %}{% include "partials/a.njk" %}{% endif %}',
      },
      "Nothing uses the theme's file",
    ],
    [
      'a partial that only a comment names',
      { ...inBlock('{# {% include "partials/own.njk" %} #}'), 'partials/own.njk': 'x' },
      "Nothing uses the theme's file",
    ],
    [
      'text outside of a macro',
      { ...inMacro('x'), 'partials/own.njk': `{# a #}\n${PIECE}\n<p>Hello</p>\n` },
      "Nothing shows line 6 of the theme's file",
    ],
    [
      'a value outside of a macro',
      { ...inMacro('x'), 'partials/own.njk': `${PIECE}{% if site %}\n{{ site.n }}{% endif %}` },
      "Nothing shows line 5 of the theme's file",
    ],
    [
      'text outside of a block',
      { 'pages/404.njk': `${PAGE}\n<p>Hello</p>` },
      "Nothing shows line 6 of the theme's file",
    ],
    [
      'a block that the layout below does not have',
      { 'pages/404.njk': `${HEAD}\n{% block contnet %}x{% endblock %}` },
      'Nothing shows the block "contnet" in line 3 of the theme\'s file',
    ],
  ])('%s', async (_, files, message) => {
    const fault = await faultOf(files);
    expect(fault?.message).toContain(message);
    expect(fault?.exitCode).toBe(2);
  });

  it.each<[string, Files]>([
    [
      'a partial by a partial',
      { ...included('{% include "partials/b.njk" %}'), 'partials/b.njk': 'x' },
    ],
    [
      'a partial by a page',
      { 'pages/404.njk': '{% include "partials/a.njk" %}', 'partials/a.njk': 'x' },
    ],
    [
      'a partial whose name is made',
      { ...inBlock('{% include "partials/" + "a.njk" %}'), 'partials/a.njk': 'x' },
    ],
    [
      'macros with settings, comments and imports around them',
      {
        ...inMacro('x'),
        'partials/own.njk': `{# a #}\n{% set b = 1 %}\n{% from "partials/c.njk" import c %}\n${PIECE}\n`,
        'partials/c.njk': '{% macro c() %}c{% endmacro %}',
      },
    ],
    [
      'text and macros of a partial that is included and imported',
      {
        'pages/404.njk': `${HEAD}{% from "partials/own.njk" import piece %}{% block content %}{% include "partials/own.njk" %}{{ piece(page_.view) }}{% endblock %}`,
        'partials/own.njk': `text ${PIECE}`,
      },
    ],
    [
      'text of a template that extends another in some cases only',
      { 'pages/404.njk': '{% if page_.nope %}{% extends "layouts/base.njk" %}{% endif %}text' },
    ],
    [
      'a partial that includes itself until a condition is met',
      included(
        '{% set n = (n or 0) + 1 %}{% if n < 3 %}{% include "partials/own.njk" %}{% endif %}',
      ),
    ],
    ['blocks within blocks', inBlock('{% block inner %}x{% endblock %}')],
  ])('is not reported as %s', async (_, files) => {
    expect(await faultOf(files)).toBeUndefined();
  });
});
