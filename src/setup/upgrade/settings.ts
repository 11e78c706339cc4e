import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { became, CHANGES, stillWorks } from '../../config/changes.ts';
import { type FormerSetting, formerSettings, withNewNames } from '../../config/former-settings.ts';
import { readConfigFile } from '../../config/load.ts';
import { type Finding, finding } from '../findings.ts';
import type { Write } from './originals.ts';
import { renameSettings, type SourceEdit } from './source-edit.ts';

/** What is said of a setting that a configuration has under its former name. */
export function formerSettingFinding(
  { path: where, change }: FormerSetting,
  byHand: { why?: string; line?: number | undefined } = {},
): Finding {
  const { why, line } = byHand;
  return finding('setting-renamed', {
    path: where,
    became: became(change),
    until: change.until,
    works: stillWorks(change),
    ...(why !== undefined && { why }),
    ...(line !== undefined && { line }),
  });
}

/** A configuration in JSON has no comments: it is written anew, indented as it was. */
function renamedJson(text: string, raw: unknown, formers: readonly FormerSetting[]): SourceEdit {
  const [, indent = '  '] = /^\s*\{\s*?\n([ \t]+)/.exec(text) ?? [];
  const renamed = formers.filter(({ newPath }) => newPath !== undefined);
  const { value } = withNewNames(raw, {
    changes: renamed.map(({ change }) => change),
    isAccepted: () => true,
  });
  const why = 'nothing has taken its place, so take it out if you agree';
  return {
    text: `${JSON.stringify(value, null, indent)}\n`,
    renamed,
    left: formers
      .filter((one) => !renamed.includes(one))
      .map((former) => ({ former, why, line: undefined })),
  };
}

/** What a text says as a configuration: read as the file itself would be. */
async function saidBy(file: string, text: string): Promise<unknown> {
  const { dir, name, ext } = path.parse(file);
  const trial = path.join(dir, `.${name}.upgrade-${process.pid}${ext}`);
  await writeFile(trial, text, { flag: 'wx', mode: 0o600 });
  try {
    return await readConfigFile(trial);
  } finally {
    await rm(trial, { force: true });
  }
}

/**
 * Looks for settings under former names, and writes the new ones where a reading of the result says
 * exactly what it should; else nothing is written.
 *
 * @throws {ConfigError} the configuration cannot be read.
 */
export async function checkSettings(
  file: string,
  write: Write | undefined,
  changes = CHANGES,
): Promise<Finding[]> {
  const raw = await readConfigFile(file);
  const formers = formerSettings(raw, changes);
  if (formers.length === 0) return [];
  const text = await readFile(file, 'utf8');
  const isJson = path.extname(file).toLowerCase() === '.json';
  const edit = isJson ? renamedJson(text, raw, formers) : renameSettings(text, formers);
  const byHand = edit.left.map(({ former, ...rest }) => formerSettingFinding(former, rest));
  if (edit.renamed.length === 0) return byHand;
  const { value } = withNewNames(raw, {
    changes,
    isAccepted: (change) => edit.renamed.some((one) => one.change === change),
  });
  const said = await saidBy(file, edit.text).catch(() => undefined);
  if (!isDeepStrictEqual(said, value)) {
    const why = 'the file is not plain enough to be changed';
    return [...edit.renamed.map((one) => formerSettingFinding(one, { why })), ...byHand];
  }
  if (!write) return [...edit.renamed.map((one) => formerSettingFinding(one)), ...byHand];
  const what = await write(file, edit.text);
  return [finding('upgraded', { what }), ...byHand];
}
