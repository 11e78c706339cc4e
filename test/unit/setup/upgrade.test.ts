import { chmod, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Change } from '../../../src/config/changes.ts';
import { formerNames } from '../../../src/render/theme/former-names.ts';
import { parseTemplate } from '../../../src/render/theme/syntax.ts';
import { writerFor } from '../../../src/setup/init/project-writer.ts';
import {
  checkOriginals,
  copyOriginal,
  noteMerged,
  ORIGINALS,
} from '../../../src/setup/upgrade/originals.ts';
import { checkSettings } from '../../../src/setup/upgrade/settings.ts';
import { temporaryFolder } from '../../support/build.ts';
import { writeFilesBelow } from '../../support/theme.ts';

const BEFORE = 'one\ntwo\nthree\nfour\nfive\nsix\n';
const NOW = BEFORE.replace('two', 'TWO');
const NAME = 'partials/card.njk';

/** A project whose theme has a file in place of one of ours. */
async function projectWith(mine: string, base: string | undefined) {
  const folder = await temporaryFolder();
  const root = folder.path;
  const files = { mine: `theme/${NAME}`, base: `theme/${ORIGINALS}/${NAME}` };
  await writeFilesBelow(root, {
    [files.mine]: mine,
    [`ours/${NAME}`]: NOW,
    ...(base !== undefined && { [files.base]: base }),
  });
  const write = writerFor(root, (file) => !file.includes(ORIGINALS));
  const place = { theme: path.join(root, 'theme'), templates: path.join(root, 'ours'), root };
  return {
    ...{ folder, root, write, place },
    look: async (writes: boolean) =>
      (await checkOriginals({ ...place, write: writes ? write : undefined })).map(
        ({ code, args }) => ({ code, ...args }),
      ),
    mine: () => readFile(path.join(root, files.mine), 'utf8'),
    base: () => readFile(path.join(root, files.base), 'utf8').catch(() => undefined),
    former: () => readFile(path.join(root, `${files.mine}.former`), 'utf8'),
  };
}

it.each([
  ['\n', 'as they are'],
  ['\r\n', 'as Windows has them'],
])(
  'brings a change of the original into a file that was edited elsewhere, with breaks %j',
  async (eol) => {
    const edited = BEFORE.replace('six', 'SIX').replaceAll('\n', eol);
    const project = await projectWith(edited, BEFORE);
    await using _folder = project.folder;
    const file = `theme/${NAME}`;
    expect(await project.look(false)).toEqual([
      {
        code: 'original-changed',
        file,
        state: 'clean',
        diff: expect.stringMatching(/^@@.*\n one\n-two\n\+TWO\n three/),
      },
    ]);
    expect([await project.mine(), await project.base()]).toEqual([edited, BEFORE]);
    expect(await project.look(true)).toEqual([
      { code: 'upgraded', what: `${file} (what stood there: ${file}.former)` },
    ]);
    expect(await project.mine()).toBe(NOW.replace('six', 'SIX').replaceAll('\n', eol));
    expect(await project.former()).toBe(edited);
    // The copy is no file of the theme.
    expect(await project.look(true)).toEqual([]);
  },
);

it('writes nothing where both changed the same, and shows all three', async () => {
  const edited = BEFORE.replace('two', 'zwei');
  const project = await projectWith(edited, BEFORE);
  await using _folder = project.folder;
  const [found, ...others] = await project.look(true);
  expect(others).toEqual([]);
  expect(found).toMatchObject({ code: 'original-changed', state: 'conflict' });
  expect((found as { diff?: string }).diff).toMatch(
    /<<<<<<< your file\n zwei\n\+\|\|\|\|\|\|\| the original before\n\+two\n\+=======\n\+TWO\n\+>>>>>>> the original now/,
  );
  expect([await project.mine(), await project.base()]).toEqual([edited, BEFORE]);
  // A person has settled it.
  await noteMerged(path.join(project.place.theme, NAME), project.place, project.write);
  expect(await project.look(false)).toEqual([]);
});

it('says where nobody noted the original, and notes it where the file is as ours', async () => {
  const unknown = await projectWith(BEFORE, undefined);
  await using _unknown = unknown.folder;
  expect(await unknown.look(true)).toMatchObject([{ code: 'original-unknown' }]);
  expect(await unknown.base()).toBeUndefined();
  const copied = await projectWith(NOW, undefined);
  await using _copied = copied.folder;
  expect(await copied.look(true)).toEqual([]);
  expect(await copied.base()).toBe(NOW);
});

it("copies a file of ours once, and only ours; files of one's own have no original", async () => {
  const project = await projectWith('x', undefined);
  await using _folder = project.folder;
  const { root, place, write } = project;
  await writeFilesBelow(root, { 'ours/layouts/list.njk': 'list', 'theme/partials/own.njk': 'own' });
  await copyOriginal('layouts/list.njk', place, write);
  expect(await readFile(path.join(root, 'theme/layouts/list.njk'), 'utf8')).toBe('list');
  expect(await project.look(false)).toMatchObject([{ code: 'original-unknown' }]);
  await expect(copyOriginal(NAME, place, write)).rejects.toMatchObject({ code: 'upgrade-copy' });
  for (const name of ['layouts/lists.njk', '../site.config.ts']) {
    await expect(copyOriginal(name, place, write)).rejects.toMatchObject({ code: 'upgrade-name' });
  }
  const none = path.join(place.theme, 'layouts/404.njk');
  await expect(noteMerged(none, place, write)).rejects.toMatchObject({ code: 'upgrade-name' });
  expect(await project.mine()).toBe('x');
});

it('says that an original is gone', async () => {
  const project = await projectWith('x', BEFORE);
  await using _folder = project.folder;
  await writeFilesBelow(project.root, { 'ours/partials/icons.njk': '' });
  const templates = path.join(project.root, 'ours/partials');
  const found = await checkOriginals({ ...project.place, templates, write: undefined });
  expect(found).toMatchObject([{ code: 'original-changed', args: { state: 'gone' } }]);
});

it('writes through no link, and replaces nothing that is protected', async () => {
  await using folder = await temporaryFolder();
  const write = writerFor(folder.path, () => true);
  const at = (name: string) => path.join(folder.path, name);
  await writeFile(at('kept'), 'kept');
  await symlink(at('kept'), at('link'));
  await chmod(at('kept'), 0o444);
  for (const name of ['link', 'kept']) {
    await expect(write(at(name), 'x')).rejects.toMatchObject({ code: 'init-not-writable' });
  }
  expect(await readFile(at('kept'), 'utf8')).toBe('kept');
});

it('finds former names in templates, where they are only asked for too', () => {
  const versions = { since: '2.0.0', until: '3.0.0' };
  const changes: Change[] = [
    { kind: 'name', from: 'page_.old', to: 'page_.fresh', ...versions },
    { kind: 'name', from: '*.srcs', to: '*.sources', ...versions },
    { kind: 'word', from: 'share', to: 'send', ...versions },
    { kind: 'template', from: 'partials/icons.njk', to: 'partials/signs.njk', ...versions },
  ];
  const source = `{# page_.old #}
{% if page_.old and page_.older %}{% for one in page_.list %}{{ one['srcs'].first }}{% endfor %}{% endif %}
{{ site.words.share }} {{ words.share }} {{ other.page_.old }}
{% include "./icons.njk" %}`;
  const found = formerNames(parseTemplate(source, []), 'partials/card.njk', changes);
  expect([...found].map(({ name, line }) => [line, name])).toEqual([
    [2, 'page_.old'],
    [2, 'one.srcs'],
    [3, 'site.words.share'],
    [4, './icons.njk'],
  ]);
});

it('renames settings of a file where reading the result says so, else a person is asked', async () => {
  await using folder = await temporaryFolder();
  const write = writerFor(folder.path, () => true);
  const at = (name: string) => path.join(folder.path, name);
  const changes: Change[] = [
    { kind: 'setting', from: 'site.old', to: 'media.fresh', since: '2.0.0', until: '3.0.0' },
    { kind: 'setting', from: 'site.gone', since: '2.0.0', until: '3.0.0' },
  ];
  const look = async (name: string, text: string) => {
    await writeFile(at(name), text);
    const found = await checkSettings(at(name), write, changes);
    return { found, text: await readFile(at(name), 'utf8') };
  };
  const json = await look(
    'a.json',
    '{\n    "site": { "old": 1, "gone": 2 },\n    "media": {}\n}\n',
  );
  expect(json.found.map(({ code, args }) => [code, args.path])).toEqual([
    ['upgraded', undefined],
    ['setting-renamed', 'site.gone'],
  ]);
  expect(json.text).toBe(
    '{\n    "site": {\n        "gone": 2\n    },\n    "media": {\n        "fresh": 1\n    }\n}\n',
  );
  // What is made of itself says something else once it is renamed.
  const odd = 'const o = { site: { old: 1 } };\nexport default ({ ...o });\n';
  const spread = await look('b.mjs', odd);
  expect(spread).toMatchObject({
    found: [{ code: 'setting-renamed', args: { path: 'site.old', line: 2 } }],
    text: odd,
  });
  const called =
    'const twice = (o) => ({ site: { old: o.site.old + 1 } });\nexport default twice({ site: { old: 1 } });\n';
  expect(await look('c.mjs', called)).toMatchObject({
    found: [{ args: { why: 'the file is not plain enough to be changed' } }],
    text: called,
  });
  expect((await readdir(folder.path)).sort()).toEqual([
    'a.json',
    'a.json.former',
    'b.mjs',
    'c.mjs',
  ]);
});
