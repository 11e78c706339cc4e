import path from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import { ConfigError } from '../errors.ts';
import { entriesOf } from '../lib/files/entries-of.ts';
import type { AssetSources } from '../site/views/assets.ts';
import type { CustomPageLink } from '../site/views/footer.ts';
import type { LegalTexts } from '../site/views/site-pages.ts';
import { type Control, DEFAULT_CONTROL, readControl } from '../stock/control.ts';
import { namedControl, plateNames } from '../stock/plate-names.ts';
import { readAssets } from './asset-sources.ts';
import type { Attempt } from './attempt.ts';
import { type CustomPages, findCustomPages } from './custom-pages.ts';
import { readLegalTexts } from './legal-texts.ts';
import { checkTemplates } from './theme/checks.ts';
import { readTheme, type Theme } from './theme/theme.ts';

/** All files next to the configuration that a user wrote and a build reads. */
export interface UserFiles {
  control: Control;
  legal: LegalTexts;
  theme: Theme;
  /** The theme's assets and the built-in ones, and the dealers' logos. */
  assets: AssetSources;
  /** The custom pages, which Eleventy makes later. Undefined if there are none. */
  customPages: CustomPages | undefined;
  /** Links to custom pages. Undefined until they are known. */
  navigation?: readonly CustomPageLink[];
}

/**
 * @throws {ConfigError} a file or folder almost has a name that a build looks for. On Linux it would be ignored,
 *   and hidden vehicles would be published. Spreadsheets also save in their own formats.
 */
function refuseMisnamed({ file, site }: LoadedConfig): void {
  const defaults = { [DEFAULT_CONTROL]: site.vehicles, theme: site.theme, pages: undefined };
  const found = entriesOf(path.dirname(file)).map(({ name }) => name);
  for (const [name, setting] of Object.entries(defaults)) {
    const isSimilar = (other: string) =>
      other.toLowerCase().replace(/\.(?:csv\.csv|csv\.txt|xlsx?|ods)$/, '.csv') === name;
    const similar = found.find(isSimilar);
    if (similar === undefined || setting !== undefined || found.includes(name)) continue;
    const isReadable = !/\.(?:xlsx?|ods)$/i.test(similar);
    throw new ConfigError({
      code: 'file-misnamed',
      what: `${similar} would be ignored, because builds look for ${name}.`,
      why: isReadable
        ? 'Letter case matters on Linux, where scheduled builds run. Windows hides some endings of names.'
        : 'It is a spreadsheet, and vehicles that it hides would be published.',
      fix: isReadable ? `Rename it to ${name}.` : `Save it as ${name}, in the format CSV.`,
    });
  }
}

function readDecisions(config: LoadedConfig, hide?: readonly string[]): Control {
  const control = readControl(config, hide);
  const nameOf = plateNames(config);
  return nameOf ? namedControl(control, nameOf) : control;
}

async function readCheckedTheme(config: LoadedConfig): Promise<Theme> {
  const theme = await readTheme(config);
  // A test checks the built-in templates.
  if (theme.folder !== undefined) checkTemplates(theme);
  return theme;
}

/**
 * Reads all user files, for builds and the doctor.
 *
 * @param hide values of `--hide`.
 * @param problems receives every problem.
 * @throws the first problem.
 */
export async function readUserFiles(
  config: LoadedConfig,
  hide?: readonly string[],
  problems: unknown[] = [],
): Promise<UserFiles> {
  const attempt: Attempt = async (read) => {
    try {
      return await read();
    } catch (problem) {
      problems.push(problem);
      return undefined;
    }
  };
  await attempt(() => refuseMisnamed(config));
  const control = await attempt(() => readDecisions(config, hide));
  const legal = await attempt(() => readLegalTexts(config, attempt));
  const theme = await attempt(() => readCheckedTheme(config));
  const assets = theme && (await attempt(() => readAssets(config, theme, attempt)));
  const custom = await attempt(() => ({ customPages: findCustomPages(config) }));
  if (problems.length > 0 || !control || !legal || !theme || !assets || !custom) throw problems[0];
  return { control, legal, theme, assets, ...custom };
}
