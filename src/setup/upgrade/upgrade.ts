import path from 'node:path';
import { became, stillWorks } from '../../config/changes.ts';
import { withNewNames } from '../../config/former-settings.ts';
import { type LoadedConfig, readConfigFile, resolveConfig } from '../../config/load.ts';
import { ConfigError, EXIT, type ExitCode } from '../../errors.ts';
import { openExtension } from '../../render/extension/load.ts';
import { namesOfTheme } from '../../render/theme/former-names.ts';
import { NO_FUNCTIONS, type TemplateFunctions } from '../../render/theme/functions.ts';
import { watchedTheme } from '../../render/theme/theme.ts';
import { type Finding, finding, problemArgs } from '../findings.ts';
import { checkOriginals, copyOriginal, noteMerged, type Write } from './originals.ts';
import { checkSettings, formerSettingFinding } from './settings.ts';

export interface UpgradeOptions {
  /** Configuration file, absolute. */
  file: string;
  /** Folder that paths are told from, absolute. */
  root: string;
  /** Whether what is safe is written. */
  write: boolean;
  /** Names of our files that are taken into the theme. */
  copy: readonly string[];
  /** Files of the theme, from the root, that have what their originals have now. */
  merged: readonly string[];
  /** How files are written. */
  writer: Write;
  signal?: AbortSignal | undefined;
}

/** Former names that the templates of a theme use. */
async function checkTemplateNames(
  theme: string,
  root: string,
  functions: TemplateFunctions,
): Promise<Finding[]> {
  const names = await namesOfTheme(theme, functions);
  return names.map(({ file, line, name, change }) =>
    finding('template-name-renamed', {
      file: path.relative(root, file),
      line,
      name,
      became: became(change),
      until: change.until,
      works: stillWorks(change),
    }),
  );
}

/**
 * What a project should change because of an update; with `write`, what is safe is done.
 *
 * @throws {ConfigError} the configuration cannot be read, or a file cannot be written.
 */
export async function upgradeSite(options: UpgradeOptions): Promise<Finding[]> {
  const { file, root, write, copy, merged, writer, signal } = options;
  const attempt = async (work: () => Promise<Finding[]>): Promise<Finding[]> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return [finding('files-wrong', problemArgs(error))];
    }
  };
  const findings: Finding[] = [];
  const toSay = copy.length === 0 && merged.length === 0;
  if (toSay) findings.push(...(await checkSettings(file, write ? writer : undefined)));
  let config: LoadedConfig;
  try {
    const { value } = withNewNames(await readConfigFile(file), { isAccepted: () => true });
    config = resolveConfig(value, { file });
  } catch (error) {
    if (!(error instanceof ConfigError) || !toSay) throw error;
    return [...findings, finding('config-wrong', problemArgs(error))];
  }
  const place = { theme: watchedTheme(config), root };
  for (const name of copy) findings.push(await copyOriginal(name, place, writer));
  for (const name of merged) {
    findings.push(await noteMerged(path.resolve(root, name), place, writer));
  }
  if (!toSay) return findings;
  findings.push(
    ...(await attempt(() => checkOriginals({ ...place, write: write ? writer : undefined }))),
    ...(await attempt(async () => {
      const opened = await openExtension(config, { signal });
      return checkTemplateNames(place.theme, root, opened?.functions ?? NO_FUNCTIONS);
    })),
  );
  return findings;
}

/** What is wrong with a theme's folder itself is told where the theme is read. */
const unlessRefused = (work: Promise<Finding[]>): Promise<Finding[]> =>
  work.catch((error: unknown) => {
    if (error instanceof ConfigError) return [];
    throw error;
  });

/**
 * The same as far as a configuration that can be read goes, in short, for who only looks: former names
 * and originals that changed.
 *
 * @param functions what templates of the theme may call.
 */
export async function checkFormer(
  config: LoadedConfig,
  functions: TemplateFunctions = NO_FUNCTIONS,
): Promise<Finding[]> {
  const [theme, root] = [watchedTheme(config), path.dirname(config.file)];
  const originals = await unlessRefused(checkOriginals({ theme, root, write: undefined }));
  return [
    ...config.formerSettings.map((one) => formerSettingFinding(one)),
    ...originals
      .filter(({ code }) => code === 'original-changed')
      .map((one) => ({ ...one, args: { ...one.args, diff: '' } })),
    ...(await unlessRefused(checkTemplateNames(theme, root, functions))),
  ];
}

/** 0 where nothing is left to do, 2 where something is wrong besides, else 8. */
export function exitCodeOf(findings: readonly Finding[]): ExitCode {
  if (findings.some(({ severity }) => severity === 'error')) return EXIT.config;
  return findings.some(({ severity }) => severity === 'warning') ? EXIT.attention : EXIT.published;
}
