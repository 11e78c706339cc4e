import { execFile } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

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

/**
 * Where the import of a file failed, as `FILE, line N`; undefined where that is not known. For a syntax
 * error in an imported script Node gives no line, so `node --check` is run to get it. That takes 50 ms,
 * and only after such an error.
 */
export async function lineOfImportError(file: string, error: unknown): Promise<string | undefined> {
  if (!(error instanceof Error)) return undefined;
  const line = lineOf(file, error);
  const place = line === undefined ? firstLine(error.stack ?? '') : { file, line };
  if (place) return `${place.file}, line ${place.line}`;
  if (!(error instanceof SyntaxError)) return undefined;
  // It runs with an empty environment, as ours contains the keys.
  const options = { env: {}, timeout: 10_000 };
  const said = await promisify(execFile)(process.execPath, ['--check', file], options).then(
    () => '',
    ({ stderr = '' }: { stderr?: string }) => stderr,
  );
  const found = firstLine(said);
  return found && `${found.file}, line ${found.line}`;
}

/** Messages of `JSON.parse` for a text that is valid JSON as far as it goes and ends too soon. */
const AT_END = /^(?:Unexpected end|Unterminated)/;

function endsTooSoon(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as Error;
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    return AT_END.test(message) || Number(position) >= text.length;
  }
}

/**
 * Parses JSON.
 *
 * @throws an error whose message begins with the line, which that of `JSON.parse` often lacks.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // Binary search for the longest prefix of the text that could still become JSON.
    let [good, bad] = [0, text.length + 1];
    while (bad - good > 1) {
      const middle = Math.floor((good + bad) / 2);
      if (endsTooSoon(text.slice(0, middle))) good = middle;
      else bad = middle;
    }
    const line = text
      .slice(0, good + 1)
      .trimEnd()
      .split('\n').length;
    const [what] = (cause as Error).message.split(/ in JSON at|, (?:\.\.\.)?"/);
    throw new SyntaxError(`Line ${line}: ${what}.`, { cause });
  }
}
