import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { BuildOptions, Message, Plugin } from 'esbuild';
import {
  type Directive,
  isAmong,
  type Sources as PolicySources,
} from '../config/opened-sources.ts';
import { ConfigError, printable } from '../errors.ts';
import { userText } from '../lib/files/read.ts';
import { PACKAGE_ROOT, packageVersion } from '../lib/own-package.ts';
import { cachedForProgram, codeOf } from '../lib/program-cache.ts';
import type { AssetSources } from '../site/views/assets.ts';
import { loadStyleSheet } from './style-sheet.ts';
import { unusedFile } from './theme/failure.ts';
import { TEMPLATES, type Theme } from './theme/theme.ts';

/** Folder of the built-in assets. Imports of a theme's assets are resolved as if they were in it. */
const FOLDER = 'templates/assets/';

/** Modules that browser scripts share with this program, relative to its root. */
const SHARED = ['src/stock/plate.ts'];

/**
 * Scripts of controls. Each ends with a mark of the page, because controls of a script that did not run disappear
 * (templates/assets/modes/settings.css).
 */
const CONTROLS = ['gallery.js', 'list.js', 'saved.js', 'share.js'];

const markOf = (name: string): string =>
  CONTROLS.includes(name) ? `document.body.dataset.${name.replace('.js', '')}="";\n` : '';

/** The style sheet of all pages, and a theme's rules, which come last. */
const SHEETS = ['site.css', 'theme.css'];

const NAMESPACE = 'asset';

/** Scripts and style sheets. Other assets are published unchanged. */
export const TEXT = /\.(?:css|js)$/;

/** A URL with a scheme or a host, or a fragment of the same document. */
const EXTERNAL = /^(?:[a-z][a-z0-9+.-]*:|\/|#)/i;

const FONT = /^data:(?:application\/(?:x-)?)?font|\.(?:woff2?|[ot]tf)(?:[?#]|$)/i;

/** The target is the syntax of the built-in scripts. Browsers would skip the rules at these mistakes. */
const OPTIONS = {
  minify: true,
  charset: 'utf8',
  target: 'es2022',
  logLevel: 'silent',
  logOverride: {
    'css-syntax-error': 'error',
    'invalid-@import': 'error',
    'invalid-calc': 'error',
    'js-comment-in-css': 'error',
    // Only names that are similar to a known one.
    'unsupported-css-property': 'error',
  },
} as const;

/** A text file among the assets. */
interface Source {
  text: string;
  /** Absolute. */
  file: string;
}

type Sources = ReadonlyMap<string, Source>;

/** Scripts and style sheets as they are served. */
export type CompiledAssets = Pick<AssetSources, 'scripts' | 'css' | 'themeCss'>;

/** The site whose policy restricts style sheets. */
interface Site {
  url?: string;
  policy?: PolicySources;
}

/** The source that is missing in the site's policy for an external URL of a style sheet. Undefined if none is. */
function missingSource(
  address: string,
  kind: string,
  { url, policy }: Site,
): { directive: Directive; source: string } | undefined {
  const target = URL.parse(address, url);
  if (!target || (url !== undefined && target.origin === new URL(url).origin)) return undefined;
  const pictureOrFont = FONT.test(address) ? 'font-src' : 'img-src';
  const directive = kind === 'import-rule' ? 'style-src' : pictureOrFont;
  const sources = policy?.[directive];
  const isData = target.protocol === 'data:';
  if (isData ? sources?.includes('data:') : isAmong(sources, target)) return undefined;
  return { directive, source: isData ? 'data:' : target.origin };
}

/** A name relative to the assets, such as `gallery/zoom.js` or `../../src/stock/plate.ts`. */
const relativeName = (from: string, importPath: string): string =>
  path.posix.relative(FOLDER, path.posix.join(FOLDER, path.posix.dirname(from), importPath));

/** Finds every import among the assets of the theme and the built-in ones. */
function assetsOnly(sources: Sources, isFile: (name: string) => boolean, site: Site): Plugin {
  return {
    name: 'assets',
    setup(build) {
      build.onResolve({ filter: /./ }, ({ path: importPath, importer, kind }) => {
        if (kind === 'entry-point') return { path: importPath, namespace: NAMESPACE };
        const isSheet = importer.endsWith('.css');
        if (isSheet && EXTERNAL.test(importPath)) {
          const missing = missingSource(importPath, kind, site);
          if (!missing) return { path: importPath, external: true };
          return { errors: [{ text: 'Blocked', detail: { importPath, missing } }] };
        }
        const name = relativeName(importer, importPath);
        if (kind === 'url-token') {
          if (isFile(name)) return { path: `asset:${name}`, external: true };
        } else if (sources.has(name) && name.endsWith('.css') === isSheet) {
          return { path: name, namespace: NAMESPACE };
        }
        return { errors: [{ text: `There is no file ${importPath}`, detail: { importPath } }] };
      });
      build.onLoad({ filter: /./, namespace: NAMESPACE }, ({ path: name }) => {
        const { text = '' } = sources.get(name) ?? {};
        const loader = path.posix.extname(name).slice(1) as 'js' | 'css' | 'ts';
        return loader === 'css' ? loadStyleSheet(name, text) : { contents: text, loader };
      });
    },
  };
}

function compileError(
  sources: Sources,
  { text, location, detail, notes }: Message,
  cause: unknown,
) {
  const name = location?.file.replace(`${NAMESPACE}:`, '') ?? '';
  const file = sources.get(name)?.file ?? name;
  const line = location ? `: line ${location.line}` : '';
  const isSheet = name.endsWith('.css');
  const hints = notes.map((note) => note.text.replace(/:$/, `: line ${note.location?.line}`));
  if (detail?.missing !== undefined) {
    const { directive, source } = detail.missing;
    return new ConfigError({
      code: 'theme-asset-blocked',
      what: `The style sheet ${file} loads ${printable(detail.importPath).slice(0, 100)}, which browsers block${line}.`,
      why: 'The policy of the pages allows only files of the site and the sources in site.policy.',
      fix: `Put the file into assets/, or add "${printable(source)}" to ${directive} of site.policy.`,
      cause,
    });
  }
  if (isSheet && detail?.importPath !== undefined) {
    return new ConfigError({
      code: 'theme-asset-missing',
      what: `The style sheet ${file} names ${printable(detail.importPath)}, which is missing${line}.`,
      why: 'URLs in style sheets are paths of files in the folder assets/, relative to the style sheet.',
      fix: 'Add the file, or correct the name.',
      cause,
    });
  }
  return new ConfigError({
    code: 'script-unreadable',
    what: `The ${isSheet ? 'style sheet' : 'script'} ${file} cannot be read${line}.`,
    why: [text, ...hints].join('. '),
    fix: 'Correct it. It may only import files of assets/, by their path.',
    cause,
  });
}

/**
 * Bundles files with their imports and minifies them.
 *
 * @param isFile whether there is an asset that style sheets can link to.
 * @throws {ConfigError} a file cannot be read, or names a missing file or a blocked host.
 */
async function bundle(
  sources: Sources,
  names: readonly string[],
  isFile: (name: string) => boolean,
  site: Site,
): Promise<{ texts: Map<string, string>; inputs: Set<string> }> {
  const options = {
    ...OPTIONS,
    entryPoints: names.map((name) => ({ in: name, out: name.replace(/\.\w+$/, '') })),
    bundle: true,
    format: 'iife',
    write: false,
    metafile: true,
    outdir: path.resolve('/'),
    plugins: [assetsOnly(sources, isFile, site)],
  } satisfies BuildOptions;
  // Imported dynamically: if the result is cached, the compiler is not needed.
  const { build, transform } = await import('esbuild');
  try {
    const { outputFiles, metafile } = await build(options);
    const formats = new Map(
      Object.entries(metafile.inputs).map(([name, { format }]) => [
        name.slice(NAMESPACE.length + 1),
        format,
      ]),
    );
    const texts = new Map<string, string>();
    for (const { path: file, text } of outputFiles) {
      const name = path.basename(file);
      // Without imports and exports it is a classic script: other scripts may use its names.
      const isClassic = name.endsWith('.js') && formats.get(name) !== 'esm';
      const source = sources.get(name)?.text ?? '';
      const code = isClassic && (await transform(source, { ...OPTIONS, sourcefile: name })).code;
      texts.set(name, (code || text) + markOf(name));
    }
    return { texts, inputs: new Set(formats.keys()) };
  } catch (cause) {
    const [first] = (cause as { errors?: Message[] }).errors ?? [];
    throw first ? compileError(sources, first, cause) : cause;
  }
}

/**
 * Compiles the scripts and style sheets of a theme and the built-in ones. Files directly in `assets/` are entry
 * points. Files in folders below are their parts. The same files give the same bytes.
 *
 * @throws {ConfigError} a file cannot be read or names a missing file or a blocked host, or nothing imports a part of the theme.
 */
export async function compileAssets(
  theme: Pick<Theme, 'assets'>,
  { url, policy }: Site = {},
): Promise<CompiledAssets> {
  const assets = [...theme.assets].sort(([a], [b]) => (a < b ? -1 : 1));
  const shared = SHARED.map(
    (name) => [relativeName('', `../../${name}`), path.join(PACKAGE_ROOT, name)] as const,
  );
  const sources = new Map<string, Source>();
  for (const [name, file] of [...assets.filter(([name]) => TEXT.test(name)), ...shared]) {
    sources.set(name, { text: userText(await readFile(file), file), file });
  }
  const entryPoints = [...sources.keys()].filter(
    (name) => SHEETS.includes(name) || (name.endsWith('.js') && !name.includes('/')),
  );
  const files = assets.map(([name]) => name).filter((name) => !TEXT.test(name));
  const themeAssets = assets.filter(
    ([name, file]) => sources.has(name) && !file.startsWith(TEMPLATES + path.sep),
  );
  const textsJson = await cachedForProgram(
    [
      'assets',
      ...['./compile-assets', './style-sheet'].map((name) => codeOf(name, import.meta.url)),
      [packageVersion('esbuild'), OPTIONS, entryPoints, files, themeAssets.map(([name]) => name)],
      [url, policy],
      [...sources].map(([name, { text }]) => [name, text]),
    ],
    async () => {
      const { texts, inputs } = await bundle(sources, entryPoints, (name) => files.includes(name), {
        url,
        policy,
      });
      for (const [name, file] of themeAssets) {
        if (inputs.has(name)) continue;
        throw unusedFile(
          file,
          'No script and no style sheet in assets/ imports it.',
          'Import it, rename it to the built-in part that it replaces, or remove it.',
        );
      }
      return JSON.stringify([...texts]);
    },
  );
  const texts = new Map(JSON.parse(textsJson) as [string, string][]);
  const [css = '', themeCss = ''] = SHEETS.map((name) => texts.get(name));
  return { scripts: new Map([...texts].filter(([name]) => name.endsWith('.js'))), css, themeCss };
}
