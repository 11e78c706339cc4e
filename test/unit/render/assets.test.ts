import path from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { Sources } from '../../../src/config/opened-sources.ts';
import { type CompiledAssets, compileAssets } from '../../../src/render/compile-assets.ts';
import { comparablePlate } from '../../../src/stock/plate.ts';
import { writeFilesBelow } from '../../support/files-below.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { shippedTheme, themeIn } from '../../support/theme.ts';

/** The served assets with a theme that has these assets. */
async function compiled(
  assets: Record<string, string>,
  policy: Sources = {},
): Promise<CompiledAssets> {
  const folder = tempFolder();
  await writeFilesBelow(path.join(folder, 'theme/assets'), assets);
  return await compileAssets(await themeIn(folder), { url: 'https://cars.example', policy });
}

const shipped = await compileAssets(await shippedTheme());

const differing = ({ scripts }: CompiledAssets) =>
  [...scripts.keys()].filter((name) => scripts.get(name) !== shipped.scripts.get(name));

describe('the built-in assets', () => {
  it('are bundled scripts without parts and imports', () => {
    for (const [name, text] of shipped.scripts) {
      expect(text, name).not.toMatch(/\b(?:import|export)\b[^-]/);
      expect(() => new Function(text), name).not.toThrow();
      expect(text.trimEnd().split('\n').length, name).toBeLessThan(3);
    }
  });

  it('are one style sheet in which every rule is in a layer, except for galleries on other websites', () => {
    expect(shipped.css).toMatch(/^@layer tokens,base,components,modes;/);
    expect(shipped.css.trimEnd()).not.toMatch(/\n|@import|\/\*/);
    let depth = 0;
    const outside = [...shipped.css].filter((letter) => {
      if (letter === '{') depth++;
      else if (letter === '}') depth--;
      else return depth === 0;
      return false;
    });
    expect(
      outside
        .join('')
        .replace(/@layer [\w,]+;?/g, '')
        .trim(),
    ).toMatch(/^\.vehicle-media :not\(svg \*\),\.vehicle-media\.vehicle-media :is\([^)]+\)$/);
    expect(shipped.themeCss).toBe('');
  });

  it('have the same bytes for the same rules, despite other comments', async () => {
    const once = await compiled({
      'theme.css': '/* one */ p { color: red }',
      'own.js': 'run() // 1',
    });
    const again = await compiled({
      'theme.css': 'p { color: red } /* 2 */',
      'own.js': '/* 2 */ run()',
    });
    expect(again).toEqual(once);
    expect(once.themeCss).toBe('p{color:red}\n');
    expect(once.css).toBe(shipped.css);
    expect(differing(once)).toEqual(['own.js']);
  });
});

const OWN = /own\.js cannot be read/;
const OWN_LINE = /own\.js cannot be read: line 1/;

describe("a theme's scripts", () => {
  it('replace a built-in part', async () => {
    const part = "export function play() { return 'our own player'; }\nexport function stop() {}";
    const made = await compiled({ 'gallery/player.js': part });
    expect(differing(made)).toEqual(['gallery.js']);
    expect(made.scripts.get('gallery.js')).toContain('our own player');
    expect(made.scripts.get('gallery.js')).toContain('.viewer');
  });

  it('replace a built-in script; as a classic script its names are global', async () => {
    const made = await compiled({ 'gallery.js': 'function openCars(first) { return first + 1 }' });
    expect(differing(made)).toEqual(['gallery.js']);
    expect(made.scripts.get('gallery.js')).toMatch(
      /^function openCars\((\w)\)\{return \1\+1\}\ndocument\.body\.dataset\.gallery="";\n$/,
    );
  });

  it('import their own parts, built-in parts and the comparison of plates', async () => {
    const made = await compiled({
      'own.js':
        "import { comparablePlate } from '../../src/stock/plate.ts';\nimport { say } from './own/say.js';\nsay(comparablePlate);",
      'own/say.js':
        "import '../gallery/player.js';\nexport const say = (what) => { globalThis.result = what; };",
    });
    const context = createContext({});
    runInContext(made.scripts.get('own.js') ?? '', context);
    for (const plate of ['ab12 cde', 'AB12-CDE', 'ä-ß 1', '①２', '--']) {
      expect(context.result(plate)).toBe(comparablePlate(plate));
    }
  });

  it.each<[string, Record<string, string>, RegExp, code?: string]>([
    ['a mistake', { 'share.js': '\nlet let = 1' }, /share\.js cannot be read: line 2/],
    [
      'a mistake in a part',
      { 'gallery/zoom.js': 'export class {' },
      /theme.assets.gallery.zoom\.js cannot be read: line 1/,
    ],
    [
      'a part that is not there',
      { 'own.js': "\nimport './own/nothing.js'" },
      /own\.js cannot be read: line 2/,
    ],
    ['a file outside of the assets', { 'own.js': "import '../../src/errors.ts'" }, OWN],
    ['a package', { 'own.js': "import 'sharp'" }, OWN],
    [
      'a name that a part does not have',
      { 'own.js': "import { Zom } from './gallery/zoom.js'; Zom()" },
      OWN_LINE,
    ],
    ['a script of another host', { 'own.js': "import 'https://x.example/y.js'" }, OWN_LINE],
    ['a style sheet', { 'own.js': "import './base.css'" }, OWN_LINE],
    ['a part for nothing', { 'gallery/zom.js': '' }, /gallery.zom\.js/, 'theme-file-unused'],
    ['a style sheet that nothing imports', { 'no.css': '' }, /no\.css/, 'theme-file-unused'],
    [
      'an address without a target',
      { 'theme.css': 'a{}\nb{c:url(no.png)}' },
      /no\.png, which is missing: line 2/,
      'theme-asset-missing',
    ],
    [
      'an address of a style sheet',
      { 'theme.css': 'a{b:url(base.css)}' },
      /base\.css/,
      'theme-asset-missing',
    ],
    [
      'an import without a target',
      { 'theme.css': '@import "own/no.css";' },
      /own\/no\.css/,
      'theme-asset-missing',
    ],
  ])('%s ends a build', async (_, assets, message, code = 'script-unreadable') => {
    await expect(compiled(assets)).rejects.toMatchObject({
      code,
      exitCode: 2,
      message: expect.stringMatching(message),
    });
  });
});

describe("a theme's style sheets", () => {
  it('import others, also into a layer', async () => {
    const assets = { 'theme.css': '@import "kit.css" layer(tokens);', 'kit.css': 'a{color:teal}' };
    expect((await compiled(assets)).themeCss).toBe('@layer tokens{a{color:teal}}\n');
  });

  it('replace a built-in style sheet with all its parts in its layer', async () => {
    const made = await compiled({ 'base.css': 'body { color: teal }' });
    expect(made.css).toContain('@layer base{body{color:teal}}');
    expect(made.css).not.toContain('box-sizing');
    // Parts used by other files are kept: a copy of an older base.css does not import them.
    expect(made.css).toContain('@layer tokens{:root{');
    expect(made.css).toContain('.gallery');
  });

  it('contain asset URLs relative to their folder', async () => {
    const made = await compiled(
      {
        'theme.css': 'a{b:url("bg.svg");c:url(./bg.svg);d:url(data:,x);--e:url(bg.svg)}',
        'modes/print.css': '@media print{a{b:url("../bg.svg")}}',
        'bg.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      },
      { 'img-src': ['data:'] },
    );
    expect(made.themeCss.match(/url\([^)]*\)/g)).toEqual([
      'url(asset:bg.svg)',
      'url(asset:bg.svg)',
      'url(data:,x)',
      'url(asset:bg.svg)',
    ]);
    expect(made.css).toContain('url(asset:bg.svg)');
  });

  it.each([
    ['@import "https://x.example/a.css";', 'style-src', 'https://x.example'],
    ['a{}\nb{c:url(https://x.example/a.png)}', 'img-src', 'https://x.example'],
    ['@font-face{src:url(//x.example/a.woff2)}', 'font-src', 'https://x.example'],
    ['a{b:url(data:image/png;base64,AA==)}', 'img-src', 'data:'],
    [
      "a{b:image-set('https://x.example/a(1).png' type('image/png') 2x)}",
      'img-src',
      'https://x.example',
    ],
  ] as const)('load %s only if site.policy allows it', async (css, directive, source) => {
    const assets = { 'theme.css': css };
    await expect(compiled(assets)).rejects.toMatchObject({
      code: 'theme-asset-blocked',
      exitCode: 2,
      message: expect.stringMatching(
        css.includes('\n') ? /theme\.css loads .*: line 2/ : /: line 1/,
      ),
      fix: expect.stringContaining(`"${source}" to ${directive} of site.policy`),
    });
    const others = { 'script-src': [source], 'connect-src': [source] };
    await expect(compiled(assets, others)).rejects.toThrow('which browsers block');
    const { themeCss } = await compiled(assets, { [directive]: [source] });
    expect(themeCss).toMatch(/x\.example|data:/);
  });

  it('publish the files in image-set() with their hash', async () => {
    const css = `a{/* image-set( */b:url("x.png");c:-webkit-image-set("x.png" 1x, url(x.png) 2x);d:"y)"}`;
    const { themeCss } = await compiled({ 'theme.css': css, 'x.png': 'png' });
    expect(themeCss.match(/asset:x/g)).toHaveLength(3);
    expect(themeCss).toContain('d:"y)"');
    const missing = { 'theme.css': 'a{b:image-set("no.png" 1x)}' };
    await expect(compiled(missing)).rejects.toMatchObject({ code: 'theme-asset-missing' });
  });

  it('load addresses of the site', async () => {
    const css = 'a{b:url(/x.png);c:url(https://cars.example/y.png);d:url(#z)}';
    expect((await compiled({ 'theme.css': css })).themeCss.match(/url/g)).toHaveLength(3);
  });

  it.each([
    [':root { --paper: red;\na { color: red }', /Expected "}".*The unbalanced "{" is here: line 1/],
    ['a{}\nb { color red }', /Expected ":"/],
    ['a{}\n@import "base.css";', /must come first/],
    ['a{}\n// b\nc{}', /Comments in CSS/],
    ['a{}\nb { colr: red }', /"colr" is not a known CSS property. Did you mean "color" instead\?$/],
    ['a{}\nb { width: calc(1px+2px) }', /whitespace/],
    [
      ':root{/* #12345 */--ok: url(#abcde) "#12345" #fff8;\n--a: #fbf7f }',
      /#fbf7f is not a colour/,
    ],
    ['a#bcdef:hover{color: red\nmargin: 0 }', /margin follows a line without ";"/],
  ])('end a build with the mistake in %j', async (css, why) => {
    await expect(compiled({ 'theme.css': css })).rejects.toMatchObject({
      code: 'script-unreadable',
      exitCode: 2,
      message: expect.stringMatching(/style sheet .*theme\.css cannot be read: line 2/),
      why: expect.stringMatching(why),
    });
  });

  it('may use properties that this program does not know', async () => {
    const { themeCss } = await compiled({ 'theme.css': 'a{view-flow:red}' });
    expect(themeCss).toBe('a{view-flow:red}\n');
  });
});
