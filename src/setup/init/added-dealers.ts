import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type ArrayExpression, type ObjectExpression, parse } from 'acorn';
import { readConfigFile } from '../../config/load.ts';
import { ConfigError } from '../../errors.ts';
import { type Answers, dealersConfig, toConfig } from './answers.ts';
import { dealerText } from './config-file.ts';

type Dealers = Answers['dealers'];

/** The dealers that answers add to a configuration; undefined if they change anything else. */
export function addedDealers(answers: Answers, existing: Answers): Dealers | undefined {
  const [kept, added] = [
    answers.dealers.slice(0, existing.dealers.length),
    answers.dealers.slice(existing.dealers.length),
  ];
  const others = toConfig({ ...answers, dealers: kept });
  return added.length > 0 && isDeepStrictEqual(others, toConfig(existing)) ? added : undefined;
}

/** The text without types, with every other character in its place. */
function withoutTypes(text: string): string {
  // Node prints once that this function is experimental.
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}

const isDealers = (one: ObjectExpression['properties'][number]): boolean =>
  one.type === 'Property' &&
  !one.computed &&
  (one.key.type === 'Identifier' ? one.key.name : 'value' in one.key && one.key.value) ===
    'dealers';

/** The list of dealers, if it is written in the default export itself. */
function listOf(script: string): ArrayExpression | undefined {
  const program = parse(script, { ecmaVersion: 'latest', sourceType: 'module' });
  const exported = program.body.find((one) => one.type === 'ExportDefaultDeclaration');
  const declared = exported?.declaration;
  const root = declared?.type === 'CallExpression' ? declared.arguments[0] : declared;
  if (root?.type !== 'ObjectExpression') return undefined;
  const found = root.properties.filter(isDealers);
  const [only] = found;
  if (found.length !== 1 || only?.type !== 'Property') return undefined;
  return only.value.type === 'ArrayExpression' ? only.value : undefined;
}

/** The lines of dealers, to paste or insert. */
const dealerLines = (dealers: Dealers): string[] =>
  dealers.flatMap((dealer) => dealerText(dealer, false));

/**
 * The text of a configuration with more dealers at the end of its list. Everything else stays.
 *
 * @returns undefined if the list is not written in a plain form.
 */
export function withDealers(text: string, dealers: Dealers): string | undefined {
  let script: string;
  let list: ArrayExpression | undefined;
  try {
    script = withoutTypes(text);
    list = listOf(script);
  } catch {
    return undefined;
  }
  const last = list?.elements.at(-1);
  if (!list || (list.elements.length > 0 && last?.type !== 'ObjectExpression')) return undefined;
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = dealerLines(dealers).join(end);
  const close = list.end - 1;
  const at = last?.end ?? list.start + 1;
  // A type, a comma and comments may follow the last dealer.
  const rest = text.slice(at, close);
  const comma = last && !/^\s*,/.test(script.slice(at, close)) ? ',' : '';
  return `${text.slice(0, at)}${comma}${rest.trimEnd()}${end}${lines}${end}  ${text.slice(close)}`;
}

type Raw = { dealers?: unknown[] };

/** Whether a text, as a file beside the configuration, adds these dealers and changes nothing else. */
async function addsOnly(file: string, text: string, dealers: Dealers): Promise<boolean> {
  const { dir, name, ext } = path.parse(file);
  const trial = path.join(dir, `${name}.${process.pid}-${randomUUID()}${ext}`);
  const before = (await readConfigFile(file)) as Raw;
  try {
    await writeFile(trial, text, { flag: 'wx' });
    const after = (await readConfigFile(trial)) as Raw;
    const added = dealersConfig(dealers);
    const expected = { ...before, dealers: [...(before.dealers ?? []), ...added] };
    return isDeepStrictEqual(
      JSON.parse(JSON.stringify(after)),
      JSON.parse(JSON.stringify(expected)),
    );
  } catch {
    return false;
  } finally {
    await rm(trial, { force: true });
  }
}

/**
 * The text of a configuration file with more dealers, checked by loading it.
 *
 * @throws {ConfigError} the file has another form; the error has the lines to paste.
 */
export async function fileWithDealers(
  file: string,
  former: string,
  dealers: Dealers,
): Promise<string> {
  const text = withDealers(former, dealers);
  if (text !== undefined && (await addsOnly(file, text, dealers))) return text;
  throw new ConfigError({
    code: 'init-add-dealer',
    what: `Nothing was written: the list of dealers in ${path.basename(file)} has a form that init cannot edit.`,
    why: 'It edits only a list that is written inside the default export.',
    fix: `Add these lines to the list yourself, then run the doctor:\n${dealerLines(dealers).join('\n')}`,
  });
}
