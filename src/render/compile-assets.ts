import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { BuildOptions, Message, Plugin } from 'esbuild';
import { ConfigError, printable } from '../errors.ts';
import { PACKAGE_ROOT, packageVersion } from '../lib/own-package.ts';
import { cachedForProgram } from '../lib/program-cache.ts';
import { unusedFile } from './theme/failure.ts';
import { TEMPLATES, type Theme } from './theme/theme.ts';

/** Where assets lie among our own files: their imports are resolved as if a theme's lay there, too. */
const FOLDER = 'templates/assets/';

/** What scripts of browsers share with this program, relative to its root. */
const SHARED = ['src/stock/plate.ts'];

/** The style sheet of all pages, and a theme's rules, which come after everything else. */
const SHEETS = ['site.css', 'theme.css'];

const NAMESPACE = 'asset';

/** Scripts and style sheets; other assets are published as they are. */
export const TEXT = /\.(?:css|js)$/;

/** An address with a scheme or a host, or a place within the same document. */
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/|#)/i;

/** Syntax is left as it is written, and may become any of the year that all of ours is of. */
const OPTIONS = { minify: true, charset: 'utf8', target: 'es2022', logLevel: 'silent' } as const;

/** A text file among the assets. */
interface Source {
  text: string;
  /** Absolute. */
  file: string;
}

type Sources = ReadonlyMap<string, Source>;

/** Scripts and style sheets as they are served. */
export interface CompiledAssets {
  /** By file name. */
  scripts: ReadonlyMap<string, string>;
  /** All rules of ours, and the theme's. An address `asset:NAME` stands for that of another asset. */
  css: string;
  themeCss: string;
}

/** A name relative to the assets, such as `gallery/zoom.js` or `../../src/stock/plate.ts`. */
const joined = (from: string, wanted: string): string =>
  path.posix.relative(FOLDER, path.posix.join(FOLDER, path.posix.dirname(from), wanted));

/** Finds every import among the assets, whether a theme's file or ours has the name. */
function assetsOnly(sources: Sources, isFile: (name: string) => boolean): Plugin {
  return {
    name: 'assets',
    setup(build) {
      build.onResolve({ filter: /./ }, ({ path: wanted, importer, kind }) => {
        if (kind === 'entry-point') return { path: wanted, namespace: NAMESPACE };
        const isSheet = importer.endsWith('.css');
        if (isSheet && ELSEWHERE.test(wanted)) return { path: wanted, external: true };
        const name = joined(importer, wanted);
        if (kind === 'url-token') {
          if (isFile(name)) return { path: `asset:${name}`, external: true };
        } else if (sources.has(name) && name.endsWith('.css') === isSheet) {
          return { path: name, namespace: NAMESPACE };
        }
        return { errors: [{ text: `There is no file ${wanted}`, detail: { wanted } }] };
      });
      build.onLoad({ filter: /./, namespace: NAMESPACE }, ({ path: name }) => ({
        contents: sources.get(name)?.text ?? '',
        loader: path.posix.extname(name).slice(1) as 'js' | 'css' | 'ts',
      }));
    },
  };
}

/** esbuild's own process, which is ended where nobody needs it any more. */
let users = 0;

async function withCompiler<T>(work: (esbuild: typeof import('esbuild')) => Promise<T>) {
  // Imported dynamically: with a cached result the compiler is not needed.
  const esbuild = await import('esbuild');
  users++;
  try {
    return await work(esbuild);
  } finally {
    users--;
    if (users === 0) await esbuild.stop();
  }
}

function unusable(sources: Sources, { text, location, detail }: Message, cause: unknown) {
  const name = location?.file.replace(`${NAMESPACE}:`, '') ?? '';
  const file = sources.get(name)?.file ?? name;
  const line = location ? `: line ${location.line}` : '';
  const isSheet = name.endsWith('.css');
  if (isSheet && detail?.wanted !== undefined) {
    return new ConfigError({
      code: 'theme-asset-missing',
      what: `The style sheet ${file} names ${printable(detail.wanted)}, which is not there${line}.`,
      why: 'Addresses in style sheets are paths of files in the folder assets/, from the style sheet on.',
      fix: 'Put the file there, or correct the name.',
      cause,
    });
  }
  return new ConfigError({
    code: 'script-unreadable',
    what: `The ${isSheet ? 'style sheet' : 'script'} ${file} cannot be read${line}.`,
    why: text,
    fix: 'Correct it there. It may import files of assets/ by their path, and nothing else.',
    cause,
  });
}

/**
 * Joins files with what they import, and makes them small.
 *
 * @param isFile whether a style sheet may have the address of an asset.
 * @throws {ConfigError} one cannot be read, or names another that is not there.
 */
async function bundle(
  sources: Sources,
  names: readonly string[],
  isFile: (name: string) => boolean,
): Promise<{ texts: Map<string, string>; used: Set<string> }> {
  const options = {
    ...OPTIONS,
    entryPoints: names.map((name) => ({ in: name, out: name.replace(/\.\w+$/, '') })),
    bundle: true,
    format: 'iife',
    write: false,
    metafile: true,
    outdir: path.resolve('/'),
    plugins: [assetsOnly(sources, isFile)],
  } satisfies BuildOptions;
  return withCompiler(async ({ build, transform }) => {
    const { outputFiles, metafile } = await build(options);
    const used = new Map(
      Object.entries(metafile.inputs).map(([name, { format }]) => [
        name.slice(NAMESPACE.length + 1),
        format,
      ]),
    );
    const texts = new Map<string, string>();
    for (const { path: file, text } of outputFiles) {
      const name = path.basename(file);
      texts.set(name, text);
      // What neither imports nor exports is a classic script: other scripts may use its names.
      if (name.endsWith('.css') || used.get(name) === 'esm') continue;
      const { code } = await transform(sources.get(name)?.text ?? '', {
        ...OPTIONS,
        sourcefile: name,
      });
      texts.set(name, code);
    }
    return { texts, used: new Set(used.keys()) };
  }).catch((cause) => {
    const [first] = (cause as { errors?: Message[] }).errors ?? [];
    throw first ? unusable(sources, first, cause) : cause;
  });
}

/**
 * Makes what is served of the scripts and style sheets of a theme and ours. Those in `assets/` itself
 * are whole; those in folders below are their parts. The same files give the same bytes.
 *
 * @throws {ConfigError} one cannot be read or names what is not there. A theme's part is used by none.
 */
export async function compileAssets(theme: Pick<Theme, 'assets'>): Promise<CompiledAssets> {
  const assets = [...theme.assets].sort(([a], [b]) => (a < b ? -1 : 1));
  const shared = SHARED.map(
    (name) => [joined('', `../../${name}`), path.join(PACKAGE_ROOT, name)] as const,
  );
  const sources = new Map<string, Source>();
  for (const [name, file] of [...assets.filter(([name]) => TEXT.test(name)), ...shared]) {
    sources.set(name, { text: await readFile(file, 'utf8'), file });
  }
  const whole = [...sources.keys()].filter(
    (name) => SHEETS.includes(name) || (name.endsWith('.js') && !name.includes('/')),
  );
  const files = assets.map(([name]) => name).filter((name) => !TEXT.test(name));
  const ours = TEMPLATES + path.sep;
  const theirs = assets.filter(([name, file]) => sources.has(name) && !file.startsWith(ours));
  const made = await cachedForProgram(
    [
      'assets',
      [packageVersion('esbuild'), OPTIONS, whole, files, theirs.map(([name]) => name)],
      [...sources].map(([name, { text }]) => [name, text]),
    ],
    async () => {
      const { texts, used } = await bundle(sources, whole, (name) => files.includes(name));
      for (const [name, file] of theirs) {
        if (used.has(name)) continue;
        throw unusedFile(
          file,
          'No whole script and no whole style sheet in assets/ imports it.',
          'Name it there, rename it to the part of ours that it is to replace, or take it out.',
        );
      }
      return JSON.stringify([...texts]);
    },
  );
  const texts = new Map(JSON.parse(made) as [string, string][]);
  const [css = '', themeCss = ''] = SHEETS.map((name) => texts.get(name));
  return { scripts: new Map([...texts].filter(([name]) => name.endsWith('.js'))), css, themeCss };
}
