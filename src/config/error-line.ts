import { readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const asFile = (name: string): string => (name.startsWith('file:') ? fileURLToPath(name) : name);

/** `FILE:LINE` at the beginning of Node's message about a file that it cannot parse. */
function firstLine(text: string): { file: string; line: number } | undefined {
  const [, name, line] = /^(\/.+|[A-Z]:\\.+|file:.+):(\d+)\r?\n/.exec(text) ?? [];
  return name === undefined ? undefined : { file: asFile(name), line: Number(line) };
}

/** The line of a file that an error came from, where its stack says so. */
export function lineOf(file: string, error: unknown): number | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  for (const name of [pathToFileURL(file).href, file]) {
    const at = stack.indexOf(name);
    const [, line] = /^(?:\?[^:]*)?:(\d+)/.exec(stack.slice(at + name.length)) ?? [];
    if (at >= 0 && line !== undefined) return Number(line);
  }
  return undefined;
}

/** The line at which a text cannot be parsed, for which Node often gives none. */
async function syntaxLine(text: string, loader: 'json' | 'ts'): Promise<number | undefined> {
  // Loaded after an error only.
  const { transformSync } = await import('esbuild');
  try {
    // A last empty line is none where a text ends too soon.
    transformSync(text.trimEnd(), { loader, logLevel: 'silent' });
    return undefined;
  } catch (error) {
    return (error as { errors?: { location?: { line: number } }[] }).errors?.[0]?.location?.line;
  }
}

/** Where the import of a file failed, as `FILE, line N`. Undefined where that is not known. */
export async function lineOfImportError(file: string, error: unknown): Promise<string | undefined> {
  if (!(error instanceof Error)) return undefined;
  const line = lineOf(file, error);
  if (line !== undefined) return `${file}, line ${line}`;
  const place = firstLine(error.stack ?? '');
  if (place) return `${place.file}, line ${place.line}`;
  // The message for JSON begins with the line.
  if (!(error instanceof SyntaxError) || file.endsWith('.json')) return undefined;
  const found = await syntaxLine(await readFile(file, 'utf8'), 'ts');
  return found === undefined ? undefined : `${file}, line ${found}`;
}

/**
 * Parses JSON.
 *
 * @throws an error whose message begins with the line, which that of `JSON.parse` often lacks.
 */
export async function parseJson(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const line = await syntaxLine(text, 'json');
    const [what] = (cause as Error).message.split(/ in JSON at|, (?:\.\.\.)?"/);
    throw new SyntaxError(`${line === undefined ? '' : `Line ${line}: `}${what}.`, { cause });
  }
}
