import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
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

/** Comments, strings and brackets of a script; everything else does not matter here. */
const TOKEN =
  /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|[[\]{}()]/g;

/** Position of the bracket that ends the list whose items begin at `start`. */
function endOfList(text: string, start: number): number | undefined {
  let depth = 1;
  for (const { 0: token, index } of text.slice(start).matchAll(TOKEN)) {
    if (/^[[{(]$/.test(token)) depth++;
    else if (/^[\]})]$/.test(token)) depth--;
    if (depth === 0) return start + index;
  }
  return undefined;
}

/** The lines of dealers, to paste or insert. */
const dealerLines = (dealers: Dealers): string[] =>
  dealers.flatMap((dealer) => dealerText(dealer, false));

/**
 * Texts of a configuration with more dealers at the end of a list called `dealers`: candidates, because a
 * comma, a type or a comment may follow the last dealer.
 */
function candidatesWith(text: string, dealers: Dealers): string[] {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = dealerLines(dealers).join(end);
  return [...text.matchAll(/\bdealers['"]?\s*:\s*\[/g)].flatMap(({ 0: head, index }) => {
    const close = endOfList(text, index + head.length);
    if (close === undefined) return [];
    const before = text.slice(0, close).trimEnd();
    const after = `${end}${lines}${end}  ${text.slice(close)}`;
    return ['', ',', `${end}    ,`].map((comma) => `${before}${comma}${after}`);
  });
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
  for (const text of candidatesWith(former, dealers)) {
    if (await addsOnly(file, text, dealers)) return text;
  }
  throw new ConfigError({
    code: 'init-add-dealer',
    what: `Nothing was written: the list of dealers in ${path.basename(file)} has a form that init cannot edit.`,
    why: 'It edits only a list whose dealers are written out in that file.',
    fix: `Add these lines to the list yourself, then run the doctor:\n${dealerLines(dealers).join('\n')}`,
  });
}
