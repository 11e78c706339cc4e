/** Makes the text of `site.config.ts`: a new file, or the existing file with more dealers. */
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inspect, isDeepStrictEqual } from 'node:util';
import { readConfigFile } from '../../config/read-file.ts';
import { NEUTRAL_FIELD_NAMES } from '../../contract/field-names.ts';
import { ConfigError } from '../../errors.ts';
import { fill } from '../templates.ts';
import { type Answers, type Dealer, hasSite, toConfig } from './answers.ts';

/** The configuration file that init writes, relative to the project's folder. */
export const CONFIG_FILE = 'site.config.ts';

/** A string literal on one line. */
export const quoted = (text: string): string => inspect(text.replace(/\s+/g, ' '));

/** The lines of dealers. @param hints adds comments to the first dealer. */
export const dealerLines = (dealers: readonly Dealer[], hints = false): string =>
  fill('dealers', { dealers, quoted, hints }).trimEnd();

/** The text of a new configuration. */
export function configFile(answers: Answers): string {
  const fieldNames = Object.entries(answers.service.fieldNames).filter(
    ([name, value]) =>
      (name === 'hostedVideo' && hasSite(answers)) ||
      value !== Reflect.get(NEUTRAL_FIELD_NAMES, name),
  );
  const values = {
    quoted,
    fieldNames,
    hasSite: hasSite(answers),
    dealerLines: dealerLines(answers.dealers, true),
  };
  return fill('site.config.ts', { ...answers, ...values });
}

/** The dealers that the answers add to a configuration. Undefined if the answers change another setting. */
export function addedDealers(answers: Answers, existing: Answers): Dealer[] | undefined {
  const count = existing.dealers.length;
  const otherAnswers = toConfig({ ...answers, dealers: answers.dealers.slice(0, count) });
  const added = answers.dealers.slice(count);
  if (!hasSite(existing)) return undefined;
  return added.length > 0 && isDeepStrictEqual(otherAnswers, toConfig(existing))
    ? added
    : undefined;
}

/** Whether a text only adds these dealers. Writes it to a file next to the configuration to load it. */
async function addsOnly(file: string, text: string, dealers: readonly Dealer[]): Promise<boolean> {
  const { dir, name, ext } = path.parse(file);
  const trial = path.join(dir, `${name}.${process.pid}-${randomUUID()}${ext}`);
  const before = (await readConfigFile(file)) as { dealers?: unknown[] };
  const expected = { ...before, dealers: [...(before.dealers ?? []), ...dealers] };
  const plain = (content: unknown) => JSON.parse(JSON.stringify(content));
  try {
    await writeFile(trial, text, { flag: 'wx' });
    const after = await readConfigFile(trial)
      .then(plain)
      .catch(() => undefined);
    return isDeepStrictEqual(after, plain(expected));
  } finally {
    await rm(trial, { force: true });
  }
}

/**
 * Adds dealers to a configuration file. Tries each `]` as the end of the list, until the file loads with these dealers
 * and no other change.
 *
 * @throws {ConfigError} no position works. The error has the lines to paste.
 */
export async function fileWithDealers(
  file: string,
  former: string,
  dealers: readonly Dealer[],
): Promise<string> {
  const end = former.includes('\r\n') ? '\r\n' : '\n';
  const lines = dealerLines(dealers);
  for (const { index } of former.matchAll(/\]/g)) {
    const before = former.slice(0, index).trimEnd();
    const after = `${end}${lines.replaceAll('\n', end)}${end}  ${former.slice(index)}`;
    // The last dealer may have no comma, and a comment may follow it.
    for (const comma of ['', ',', `${end}    ,`]) {
      const text = `${before}${comma}${after}`;
      if (await addsOnly(file, text, dealers)) return text;
    }
  }
  throw new ConfigError({
    code: 'init-add-dealer',
    what: `Nothing was written: the list of dealers in ${path.basename(file)} has a form that init cannot edit.`,
    why: 'It edits only a list whose dealers are written out in that file.',
    fix: `Add these lines to the list yourself, then run the doctor:\n${lines}`,
  });
}
