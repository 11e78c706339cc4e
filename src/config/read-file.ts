import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../errors.ts';
import { userText } from '../lib/files/read.ts';
import { placesOf } from '../lib/stack.ts';

/** Modification time of each file at its first import. */
const firstImports = new Map<string, number>();

/**
 * The default export of a file. Undefined if it has none. A file that changed since its first import is read
 * again, which `npm run dev` needs. The files that it imports are not read again.
 */
async function importDefault(file: string): Promise<unknown> {
  const { mtimeMs } = await stat(file);
  const first = firstImports.get(file) ?? mtimeMs;
  firstImports.set(file, first);
  const query = mtimeMs === first ? '' : `?changed=${mtimeMs}`;
  const module: { default?: unknown } = await import(`${pathToFileURL(file).href}${query}`);
  return module.default;
}

/** The line of a syntax error, which Node often does not report. */
export async function syntaxLine(text: string, loader: 'json' | 'ts'): Promise<number | undefined> {
  // Loaded only after an error.
  const { transformSync } = await import('esbuild');
  try {
    // If a text ends too soon, its last empty line would be reported.
    transformSync(text.trimEnd(), { loader, logLevel: 'silent' });
    return undefined;
  } catch (error) {
    return (error as { errors?: { location?: { line: number } }[] }).errors?.[0]?.location?.line;
  }
}

/** The line at which the import of a file failed, as `FILE, line N`. Undefined if it is not known. */
async function lineOfImportError(file: string, error: unknown): Promise<string | undefined> {
  if (!(error instanceof Error)) return undefined;
  const places = placesOf(error);
  const place = places.find((other) => other.file === file) ?? places[0];
  if (place) return `${place.file}, line ${place.line}`;
  // The message for JSON begins with the line.
  if (!(error instanceof SyntaxError) || file.endsWith('.json')) return undefined;
  const errorLine = await syntaxLine(await readFile(file, 'utf8'), 'ts');
  return errorLine === undefined ? undefined : `${file}, line ${errorLine}`;
}

/** Parses JSON. @throws an error whose message begins with the line, which errors of `JSON.parse` often lack. */
export async function parseJson(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const line = await syntaxLine(text, 'json');
    const [reason] = (cause as Error).message.split(/ in JSON at|, (?:\.\.\.)?"/);
    throw new SyntaxError(`${line === undefined ? '' : `Line ${line}: `}${reason}.`, { cause });
  }
}

/** The content of a configuration file, unchecked. @throws {ConfigError} it cannot be read. */
export async function readConfigFile(file: string): Promise<unknown> {
  const extension = path.extname(file).toLowerCase();
  try {
    const isJson = extension === '.json';
    if (isJson || ['.ts', '.js', '.mjs', '.mts'].includes(extension)) {
      const text = userText(await readFile(file), file);
      if (isJson) return await parseJson(text);
      const content = await importDefault(file);
      if (content !== undefined) return content;
      throw new ConfigError({
        code: 'config-unreadable',
        what: `The configuration ${file} exports no settings.`,
        fix: 'Write "export default" before them, such as: export default defineConfig({ … });',
      });
    }
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    if (!existsSync(file)) {
      throw new ConfigError({
        code: 'config-unreadable',
        what: `Found no configuration ${file}.`,
        why: 'Commands read it from the current folder, unless an option names another.',
        fix: 'Change to the folder of the project, or name one file (--config, or config of the Eleventy plugin). "npm run init" writes a new one.',
        cause,
      });
    }
    const place = await lineOfImportError(file, cause);
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError({
      code: 'config-unreadable',
      what: `The configuration ${file} could not be read.`,
      why: place === undefined ? reason : `${place}: ${reason}`,
      fix: `Correct it.${cause instanceof SyntaxError ? ' On this line or the line before, a comma or a quotation mark may be missing, or a number may begin with 0.' : ''}${cause instanceof ReferenceError ? ' A text must be in quotation marks.' : ''}`,
      cause,
    });
  }
  throw new ConfigError({
    code: 'config-extension',
    what: `The configuration ${file} has an unknown file type.`,
    why: `Its name ends in "${extension}".`,
    fix: 'Use a file that ends in .ts, .js or .json.',
  });
}
