import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { BuildOptions, BuildResult, Message, OnResolveResult, Plugin } from 'esbuild';
import { ConfigError, printable } from '../errors.ts';
import { kept, packageVersion } from '../lib/program-cache.ts';
import { TEMPLATES, type Theme } from './theme/theme.ts';
import { nothingUses } from './theme/unused.ts';

/** Where assets lie among our own files: their imports are resolved as if a theme's lay there, too. */
const FOLDER = `${TEMPLATES}/assets/`;

/** What scripts of browsers share with this program, relative to its root. */
const SHARED = ['src/stock/plate.ts'];

const ROOT = path.resolve(import.meta.dirname, '../..');

/** The style sheet of all pages, and a theme's rules, which come after everything else. */
const SHEET = 'site.css';
const THEME_SHEET = 'theme.css';

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
type Bundle = BuildResult<{ write: false; metafile: true }>;

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
function assetsOnly(sources: Sources, isAsset: (name: string) => boolean): Plugin {
  const resolve = (importer: string, wanted: string, isAddress: boolean): OnResolveResult => {
    if (isAddress && ELSEWHERE.test(wanted)) return { path: wanted, external: true };
    const name = joined(importer, wanted);
    if (isAddress && isAsset(name)) return { path: `asset:${name}`, external: true };
    if (!isAddress && sources.has(name)) return { path: name, namespace: NAMESPACE };
    return { errors: [{ text: `There is no file ${wanted}`, detail: { wanted } }] };
  };
  return {
    name: 'assets',
    setup(build) {
      build.onResolve({ filter: /./ }, ({ path: wanted, importer, kind }) => {
        if (kind === 'entry-point') return { path: wanted, namespace: NAMESPACE };
        const isAddress = kind === 'url-token' || ELSEWHERE.test(wanted);
        return resolve(importer, wanted, isAddress);
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
  // Dynamic: what was compiled once is kept, and then it is not needed.
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
  if (!name.endsWith('.css')) {
    return new ConfigError({
      code: 'script-unreadable',
      what: `The script ${file} cannot be read${line}.`,
      why: text,
      fix: 'Correct it there. It may import files of assets/ by their path, and nothing else.',
      cause,
    });
  }
  return new ConfigError({
    code: 'theme-asset-missing',
    what: `The style sheet ${file} names ${printable(detail?.wanted ?? text)}, which is not there${line}.`,
    why: 'Addresses in style sheets are paths of files in the folder assets/, from the style sheet on.',
    fix: 'Put the file there, or correct the name.',
    cause,
  });
}

/**
 * Joins files with what they import, and makes them small.
 *
 * @throws {ConfigError} one cannot be read, or names another that is not there.
 */
async function bundle(
  sources: Sources,
  names: readonly string[],
  isAsset: (name: string) => boolean,
): Promise<{ texts: Map<string, string>; used: string[] }> {
  const options = {
    ...OPTIONS,
    entryPoints: names.map((name) => ({ in: name, out: name.replace(/\.\w+$/, '') })),
    bundle: true,
    format: 'iife',
    write: false,
    metafile: true,
    outdir: path.resolve('/'),
    plugins: [assetsOnly(sources, isAsset)],
  } satisfies BuildOptions;
  return withCompiler(async ({ build, transform }) => {
    const run = async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        return await work();
      } catch (cause) {
        const [first] = (cause as { errors?: Message[] }).errors ?? [];
        throw first ? unusable(sources, first, cause) : cause;
      }
    };
    const made: Bundle = await run(() => build(options));
    const inputs = made.metafile.inputs;
    const texts = new Map<string, string>();
    for (const { path: file, text } of made.outputFiles) {
      const name = path.basename(file);
      // What neither imports nor exports is a classic script: other scripts may use its names.
      const classic = name.endsWith('.js') && inputs[`${NAMESPACE}:${name}`]?.format !== 'esm';
      const source = sources.get(name);
      if (!classic || !source) texts.set(name, text);
      else {
        const asset = { ...OPTIONS, sourcefile: name };
        texts.set(name, (await run(() => transform(source.text, asset))).code);
      }
    }
    const used = Object.keys(inputs).map((name) => name.slice(NAMESPACE.length + 1));
    return { texts, used };
  });
}

/**
 * Makes what is served of the scripts and style sheets of a theme and ours. Those in `assets/` itself
 * are whole; those in folders below are their parts. The same files give the same bytes.
 *
 * @throws {ConfigError} one cannot be read or names what is not there; a theme's part is used by none.
 */
export async function compileAssets(theme: Pick<Theme, 'assets'>): Promise<CompiledAssets> {
  const sources = new Map<string, Source>();
  for (const [name, file] of [...theme.assets].sort()) {
    if (!TEXT.test(name)) continue;
    sources.set(name, { text: await readFile(file, 'utf8'), file });
  }
  for (const name of SHARED) {
    const file = path.join(ROOT, name);
    sources.set(joined('', `../../${name}`), { text: await readFile(file, 'utf8'), file });
  }
  const isAsset = (name: string): boolean => theme.assets.has(name) && !TEXT.test(name);
  const ours = path.resolve(TEMPLATES) + path.sep;
  const compile = async (kind: '.js' | '.css'): Promise<Map<string, string>> => {
    const names = [...sources.keys()].filter((name) => name.endsWith(kind) && !name.includes('/'));
    const whole =
      kind === '.js' ? names : names.filter((name) => [SHEET, THEME_SHEET].includes(name));
    const texts = [...sources].map(([name, { text, file }]) => [name, file.startsWith(ours), text]);
    const files = [...theme.assets.keys()].sort();
    const input = ['assets', packageVersion('esbuild'), OPTIONS, whole, files, texts];
    const json = await kept(input, async () => {
      const made = await bundle(sources, whole, isAsset);
      for (const [name, { file }] of sources) {
        if (!name.endsWith(kind) || file.startsWith(ours) || made.used.includes(name)) continue;
        throw nothingUses(
          file,
          `No ${kind === '.js' ? 'script' : 'style sheet'} in assets/ imports it.`,
          'Name it there, rename it to the part of ours that it is to replace, or take it out.',
        );
      }
      return JSON.stringify([...made.texts]);
    });
    return new Map(JSON.parse(json) as [string, string][]);
  };
  const scripts = await compile('.js');
  const sheets = await compile('.css');
  return { scripts, css: sheets.get(SHEET) ?? '', themeCss: sheets.get(THEME_SHEET) ?? '' };
}
