import { existsSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { LoadedConfig } from '../config/load.ts';
import { syntaxLine } from '../config/read-file.ts';
import { secretsOf, withoutSecrets } from '../config/secret-search.ts';
import { PACKAGE_ROOT } from '../lib/own-package.ts';
import { placesOf } from '../lib/stack.ts';
import { expressionAt } from './theme/compiler.ts';
import { frontMatterLines, plainText } from './theme/syntax.ts';

/** Errors of custom pages, with the place that their author has to correct. Eleventy often reports it wrongly. */

/** A file in a message of Nunjucks or Liquid, and its line. Nunjucks has none for the first line of a template. */
const PLACE =
  /([^()\s,:]+)(?:\)(?=\s)(?! \[Line)|(\) \[Line |, line:)(\d+)(?:, Column (\d+)\](\s+(?:\w*Error: |attempted to output null or undefined value))?)?)/g;

/** A name in a message whose line is missing, or the line of the block around it. */
const NAMED = /(?:filter `|shortcode `|not found: |cannot import ')([\w./-]+)/i;

/** The first line from `line` on with a tag that uses the name in a message, from 1. */
function lineOfUse(source: string, line: number, message: string): number | undefined {
  const lines = source.trimEnd().split('\n');
  if (/(?:unexpected|got) end of file/.test(message)) return lines.length;
  const [, name] = NAMED.exec(message) ?? [];
  const rest = lines.slice(line - 1).join('\n');
  const [before] = new RegExp(`^[\\s\\S]*?\\{[{%][^}]*?[^\\w.}]${name}\\b`).exec(rest) ?? [];
  return name && before ? line - 1 + before.split('\n').length : undefined;
}

/** Corrects lines, which Eleventy counts from the end of front matter, and names values that are missing. */
function withPlaces(message: string): string {
  return message.replace(PLACE, (place, file: string, between, given, column, reason = '') => {
    if (!existsSync(file)) return place;
    const source = plainText(file);
    const line = Number(given ?? 0) + frontMatterLines(file);
    if (given === undefined) {
      const used = lineOfUse(source, line + 1, message);
      return used === undefined ? place : `${place} [Line ${used}]`;
    }
    if (column === undefined) return `${file}${between}${line}`;
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

/** The first place in the user's JavaScript in a stack, as `FILE:LINE`. */
function placeIn(project: string, error: Error): string | undefined {
  for (const { file, line } of placesOf(error)) {
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
  const line = await syntaxLine(plainText(file), json ? 'json' : 'ts');
  return line === undefined ? undefined : `${path.relative(project, file)}:${line}`;
}

/** YAML's picture of the place. It is unreadable in one line. */
const EXCERPT = /\n\n +\d+ \| [\s\S]*/;

/** The error if data of a page changes frozen data. Eleventy names no file, and advises a setting that does not help. */
const FROZEN =
  /^(?:You attempted .* )?Cannot (?:add property |assign to read only property ')(\w+).*/;

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
  const joined = messages.join(' ');
  const text =
    code === undefined
      ? joined.replace(
          FROZEN,
          'Front matter, or data of a folder, sets "$1" in site, words or assets. Rename that data.',
        )
      : `${joined} (${code})`;
  const shown = text.replaceAll(output.split(path.sep).join('/'), '');
  return withoutSecrets(shown, secretsOf(config));
}
