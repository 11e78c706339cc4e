import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { LoadedConfig } from '../config/load.ts';
import { syntaxLine } from '../config/read-file.ts';
import { secretsOf, withoutSecrets } from '../config/secret-search.ts';
import { PACKAGE_ROOT } from '../lib/own-package.ts';
import { expressionAt } from './theme/compiler.ts';
import { frontMatterLines } from './theme/syntax.ts';

/** Errors of custom pages, with the place that their author has to correct. Eleventy often reports it wrongly. */

/** A file with a line in a message of Nunjucks or Liquid. */
const PLACE =
  /([^()\s,:]+)(\) \[Line |, line:)(\d+)(?:, Column (\d+)\](\s+(?:\w*Error: |attempted to output null or undefined value))?)?/g;

/** Uses of names in messages. Nunjucks reports no line, or the line of the block around them. */
const USES: readonly [message: RegExp, use: (name: string) => RegExp][] = [
  [/filter (?:not found: |`)(\w+)/i, (name) => new RegExp(`\\|\\s*${name}\\b`)],
  [/shortcode `(\w+)`/, (name) => new RegExp(`\\{%-?\\s*${name}\\b`)],
  [/template not found: ([\w./-]+)/, (name) => new RegExp(`["']${name}["']`)],
  [/cannot import '(\w+)'/, (name) => new RegExp(`\\bimport\\b.*\\b${name}\\b`)],
  [/(?:unexpected|got) end of file/, () => /\S(?![\s\S]*\S)/],
];

/** The first line from `line` on that has the use of a name in an error, from 1. */
function lineOfUse(source: string, line: number, message: string): number | undefined {
  for (const [inMessage, use] of USES) {
    const [found, name = ''] = inMessage.exec(message) ?? [];
    if (found === undefined) continue;
    const before = source
      .split('\n')
      .slice(0, line - 1)
      .join('\n');
    const at = source.slice(before.length).search(use(name));
    return at < 0 ? undefined : source.slice(0, before.length + at).split('\n').length;
  }
  return undefined;
}

const sourceOf = (file: string): string => readFileSync(file, 'utf8').replaceAll('\r\n', '\n');

/** Corrects lines, which Eleventy counts from the end of front matter, and names values that are missing. */
function withPlaces(message: string): string {
  // Without a line if the fault is in the first one, or unknown.
  const [start, name = ''] = /^\((\S+)\)(?=\s)(?! \[Line)/.exec(message) ?? [];
  if (start && existsSync(name)) {
    const line = lineOfUse(sourceOf(name), frontMatterLines(name) + 1, message);
    if (line !== undefined) return `${start} [Line ${line}]${message.slice(start.length)}`;
  }
  return message.replace(PLACE, (place, file: string, between, given, column, reason = '') => {
    if (!existsSync(file)) return place;
    const line = Number(given) + frontMatterLines(file);
    if (column === undefined) return `${file}${between}${line}`;
    const source = sourceOf(file);
    if (reason.includes('attempted')) {
      const expression = expressionAt(source, line - 1, Number(column) - 1);
      return expression === undefined
        ? `${file}) a name in a macro or in data, line ${given}, has no value`
        : `${file}${between}${line}] {{ ${expression} }} has no value`;
    }
    // If it passes on an error of JavaScript, Nunjucks counts from 0.
    const used = reason ? (lineOfUse(source, line + 1, message) ?? line + 1) : line;
    return `${file}${between}${used}]${reason}`;
  });
}

/** A file with a line in a stack, or at its beginning after a syntax error. */
const FRAME =
  /(?:\(|at |^)(file:\/\/[^\s()]+?|\/.+?|[A-Z]:\\.+?)(?:\?[^:\s]*)?:(\d+)(?::\d+\)?)?$/gm;

/** The first place in the user's JavaScript in a stack, as `FILE:LINE`. */
function placeIn(project: string, { stack = '' }: Error): string | undefined {
  for (const [, name = '', line] of stack.matchAll(FRAME)) {
    const file = name.startsWith('file:') ? fileURLToPath(name) : name;
    const relative = path.relative(project, file);
    const isProgram = file.startsWith(path.join(PACKAGE_ROOT, 'src'));
    if (!/^\.\.|node_modules/.test(relative) && !isProgram) return `${relative}:${line}`;
  }
  return undefined;
}

/** A script or data file in messages about its syntax. Node and Eleventy often report no line. */
const SYNTAX = /(?:importing '|parsing data file )([^\s']+\.(json)|[^\s']+)/;

/** The place of a syntax error, as `FILE:LINE`. */
async function syntaxPlace(project: string, message: string): Promise<string | undefined> {
  const [, file = '', json] = SYNTAX.exec(message) ?? [];
  if (!existsSync(file)) return undefined;
  const line = await syntaxLine(sourceOf(file), json ? 'json' : 'ts');
  return line === undefined ? undefined : `${path.relative(project, file)}:${line}`;
}

/** YAML's picture of the place. It is unreadable in one line. */
const EXCERPT = /\n\n +\d+ \| [\s\S]*/;

/**
 * The messages of an error and of its causes, without API keys.
 *
 * @param output folder of the pages as Eleventy has it. Messages have paths below it.
 */
export async function messagesOf(
  error: unknown,
  config: LoadedConfig,
  output: string,
): Promise<string> {
  const messages: string[] = [];
  const project = path.dirname(path.resolve(config.file));
  let code: string | undefined;
  let next = error as (Error & { originalError?: unknown }) | undefined;
  while (next) {
    const { message = String(next), originalError, cause } = next;
    const plain = stripVTControlCharacters(message).replace(EXCERPT, '').trim();
    const text = withPlaces(plain).replace(/\s+/g, ' ');
    if (!messages.some((other) => other.includes(text))) messages.push(text);
    code = placeIn(project, next) ?? code;
    next = (originalError ?? cause) as typeof next;
  }
  code ??= await syntaxPlace(project, messages.join(' '));
  const text = messages.join(' ') + (code === undefined ? '' : ` (${code})`);
  const shown = output ? text.replaceAll(output.split(path.sep).join('/'), '') : text;
  return withoutSecrets(shown, secretsOf(config));
}
