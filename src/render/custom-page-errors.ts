import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { LoadedConfig } from '../config/load.ts';
import { secretsOf, withoutSecrets } from '../config/secret-search.ts';
import { PACKAGE_ROOT } from '../lib/own-package.ts';
import { expressionAt } from './theme/compiler.ts';
import { frontMatterLines } from './theme/syntax.ts';

/** Errors of custom pages, with the place that their author has to correct. Eleventy often reports it wrongly. */

/** A file with a line in a message of Nunjucks or Liquid. */
const PLACE =
  /([^()\s,:]+)(\) \[Line |, line:)(\d+)(?:, Column (\d+)\](\s+(?:\w*Error: |attempted to output null or undefined value))?)?/g;

/** Filters and shortcodes in messages. Nunjucks reports the line of the block around them. */
const USED = /filter not found: (\w+)|filter `(\w+)`|shortcode `(\w+)`/i;

/** The first line from `line` on that uses the filter or shortcode of an error, from 1. */
function lineOfUse(lines: readonly string[], line: number, message: string): number {
  const [, unknown, filter = unknown, shortcode] = USED.exec(message) ?? [];
  if (filter === undefined && shortcode === undefined) return line;
  const use = new RegExp(filter ? `\\|\\s*${filter}\\b` : `\\{%-?\\s*${shortcode}\\b`);
  const at = lines.findIndex((text, index) => index >= line - 1 && use.test(text));
  return at < 0 ? line : at + 1;
}

/** Corrects lines, which Eleventy counts from the end of front matter, and names values that are missing. */
function withPlaces(message: string): string {
  return message.replace(PLACE, (place, file: string, between, given, column, reason = '') => {
    if (!existsSync(file)) return place;
    const line = Number(given) + frontMatterLines(file);
    if (column === undefined) return `${file}${between}${line}`;
    const source = readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
    if (reason.includes('attempted')) {
      const expression = expressionAt(source, line - 1, Number(column) - 1);
      return `${file}${between}${line}] {{ ${expression} }} has no value`;
    }
    // If it passes on an error of JavaScript, Nunjucks counts from 0.
    const used = reason ? lineOfUse(source.split('\n'), line + 1, message) : line;
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

/** YAML's picture of the place. It is unreadable in one line. */
const EXCERPT = /\n\n +\d+ \| [\s\S]*/;

/**
 * The messages of an error and of its causes, without API keys.
 *
 * @param output folder of the pages as Eleventy has it. Messages have paths below it.
 */
export function messagesOf(error: unknown, config: LoadedConfig, output: string): string {
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
  const text = messages.join(' ') + (code === undefined ? '' : ` (${code})`);
  const shown = output ? text.replaceAll(output.split(path.sep).join('/'), '') : text;
  return withoutSecrets(shown, secretsOf(config));
}
