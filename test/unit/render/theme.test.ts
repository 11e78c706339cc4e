import { readdirSync, readFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import nunjucks from 'nunjucks';
import { describe, expect, it } from 'vitest';
import { checkTemplates } from '../../../src/render/theme/checks.ts';
import { templateEnvironment } from '../../../src/render/theme/page-renderer.ts';
import { writeFilesBelow } from '../../support/files-below.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { themeIn } from '../../support/theme.ts';
import { failureOf } from '../../support/thrown.ts';

const builtIn = (readdirSync('templates', { recursive: true }) as string[])
  .filter((name) => name.endsWith('.njk'))
  .map((name) => path.join('templates', name));
const BASE = readFileSync('templates/layouts/base.njk', 'utf8');
const WHOLE = '{% extends "layouts/base.njk" %}{% block content %}<h1>x</h1>{% endblock %}';

async function checkTheme(files: Record<string, string>): Promise<void> {
  const folder = tempFolder();
  await writeFilesBelow(path.join(folder, 'theme'), files);
  checkTemplates(await themeIn(folder));
}

describe('a theme', () => {
  it('is optional, unless the configuration names it', async () => {
    const folder = tempFolder();
    expect((await themeIn(folder)).folder).toBeUndefined();
    await expect(themeIn(folder, 'blue')).rejects.toMatchObject({
      code: 'theme-missing',
      exitCode: 2,
    });
  });

  it.each([
    ['a misspelled layout', 'layouts/vehicel.njk', 'theme-file-unused', /vehicle\.njk/],
    ['a folder that nothing reads', 'template/x.njk', 'theme-file-unused', /docs\/theming\.md/],
    ['a built-in name', 'assets/site.js', 'theme-file-unused', /another name/],
    ['a strange ending', 'partials/x.html', 'theme-file-unused', /take it out/],
    ['a name that not every system holds', 'partials/a b.njk', 'theme-file-refused', /letters/],
  ])('refuses %s with a fix', async (_, file, code, fix) => {
    const error = await failureOf(checkTheme({ [file]: 'x' }));
    expect(error).toMatchObject({ code, exitCode: 2 });
    expect(error.message).toContain(path.join('theme', ...file.split('/')));
    expect(error.fix).toMatch(fix);
  });

  it.each([
    ['head', {}],
    ['body', {}],
    // Only the page of the theme fills it in this case.
    ['content', { 'pages/404.njk': WHOLE }],
  ])('lacks the block %s in its frame, which stops the build', async (block, files) => {
    const frame = BASE.replace(`{% block ${block} %}`, `{% block ${block}_ %}`);
    const problem = await failureOf(checkTheme({ 'layouts/base.njk': frame, ...files }));
    expect(problem).toMatchObject({ code: 'theme-part-missing', exitCode: 2 });
    expect(problem.message).toMatch(
      new RegExp(`theme/layouts/base\\.njk lacks the block "${block}"\\.$`),
    );
    expect(problem.why).toMatch(/\w+\.njk, line \d+, fills it\.$/);
  });

  it('may have the line breaks and the byte order mark of Windows', async () => {
    const copies = builtIn.map((file) => [
      path.relative('templates', file),
      `\uFEFF${readFileSync(file, 'utf8').replaceAll('\n', '\r\n')}`,
    ]);
    await checkTheme(Object.fromEntries(copies));
  });

  it('refuses symbolic links to files and to its folder', async () => {
    const folder = tempFolder();
    await writeFilesBelow(folder, { 'secret.njk': 'secret', 'theme/partials/own.njk': 'x' });
    await symlink(path.join(folder, 'secret.njk'), path.join(folder, 'theme/partials/out.njk'));
    await expect(themeIn(folder)).rejects.toMatchObject({ code: 'theme-file-refused' });
    await symlink(path.join(folder, 'theme'), path.join(folder, 'linked'));
    await expect(themeIn(folder, 'linked')).rejects.toMatchObject({ code: 'theme-no-folder' });
  });

  it('cannot reach an outside file by a name', async () => {
    const folder = tempFolder();
    await writeFilesBelow(folder, { '.env': 'KEY=secret', 'theme/partials/own.njk': 'x' });
    const environment = templateEnvironment(await themeIn(folder));
    for (const name of [
      '../.env',
      '../../package.json',
      path.join(folder, '.env'),
      'package.json',
    ]) {
      expect(() => environment.renderString(`{% include "${name}" %}`, {})).toThrow(/not found/);
    }
  });
});

it('loops have their variable in every nested place', async () => {
  const folder = tempFolder();
  await writeFilesBelow(folder, {
    'theme/partials/own.njk':
      '{% for a in [7, 8] %}{{ loop.index }}/{{ loop.length }}={{ a }} {% endfor %}',
    'theme/partials/without.njk':
      '{% for a in [7, 8] %}{% for b in [1, 2] %}{{ a }}{{ b }} {% endfor %}{% endfor %}',
    'theme/partials/outer.njk':
      '{% for a in [7, 8] %}{% include "partials/inner.njk" %}{% endfor %}',
    'theme/partials/inner.njk': '{{ loop.index }}{{ "last" if loop.last }} ',
    'theme/partials/below.njk':
      '{% for a in [7, 8] %}{% block x %}{{ a }}{% endblock %} {% endfor %}',
    'theme/partials/above.njk':
      '{% extends "partials/below.njk" %}{% block x %}{{ loop.index }}{{ a }}{% endblock %}',
  });
  const environment = templateEnvironment(await themeIn(folder));
  const plain = new nunjucks.Environment(
    new nunjucks.FileSystemLoader(path.join(folder, 'theme')),
    { throwOnUndefined: true },
  );
  for (const name of ['own', 'without', 'outer', 'above']) {
    const file = `partials/${name}.njk`;
    const made = environment.render(file, {});
    expect(made).toBe(plain.render(file, {}));
    expect(made).toMatch(/^\S+ /);
  }
});

it('the built-in templates have no line of more than 140 characters', () => {
  const lines = builtIn.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line, at) => [`${file}:${at + 1}`, line.length] as const),
  );
  expect(lines.length).toBeGreaterThan(500);
  expect(lines.filter(([, length]) => length > 140)).toEqual([]);
});

it('templates are indented, pages are not, except for texts shown verbatim', async () => {
  const folder = tempFolder();
  await writeFilesBelow(folder, {
    'theme/pages/404.njk': [
      '<ul>',
      '  {%- for n in [1, 2] %}',
      '  <li',
      '    id="{{ n }}">',
      '  {%- endfor %}',
      '</ul>',
      '<pre>',
      '  a {{ "b" }}</pre>',
      '  <textarea>',
      '\tc</textarea>',
    ].join('\n'),
  });
  const text = templateEnvironment(await themeIn(folder)).render('pages/404.njk');
  expect(text).toBe(
    '<ul>\n<li\nid="1">\n<li\nid="2">\n</ul>\n<pre>\n  a b</pre>\n<textarea>\n\tc</textarea>',
  );
});
