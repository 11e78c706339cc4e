import type { LoadedConfig } from '../config/load.ts';
import type { AssetSources } from '../site/views/assets.ts';
import type { PageLink } from '../site/views/footer.ts';
import type { LegalTexts } from '../site/views/site-pages.ts';
import { type Control, readControl } from '../stock/control.ts';
import { namedControl, plateNames } from '../stock/plate-names.ts';
import { readAssets } from './asset-sources.ts';
import { type CustomPages, findCustomPages } from './custom-pages.ts';
import { readLegalTexts } from './legal-texts.ts';
import { checkTemplates } from './theme/checks.ts';
import { readTheme, type Theme } from './theme/theme.ts';

/** Everything beside the configuration that a person wrote and a build reads. */
export interface UserFiles {
  /** Decisions about single vehicles. */
  control: Control;
  /** The texts of `site.legal`. */
  legal: LegalTexts;
  theme: Theme;
  /** The theme's assets and ours, and the dealers' logos. */
  assets: AssetSources;
  /** The custom pages, not yet made. Undefined if there are none. */
  customPages: CustomPages | undefined;
  /** Links to custom pages. Undefined if they are not known. */
  navigation?: readonly PageLink[] | undefined;
}

interface ReadOptions {
  /** Values of `--hide`. */
  hide?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Reads them all. Builds and the doctor do so here and nowhere else.
 *
 * @param onProblem takes every problem, and the others are looked for. Without it the first is thrown.
 * @returns undefined where there was a problem.
 */
export function readUserFiles(
  config: LoadedConfig,
  options: ReadOptions & { onProblem: (problem: unknown) => void },
): Promise<UserFiles | undefined>;
export function readUserFiles(config: LoadedConfig, options: ReadOptions): Promise<UserFiles>;
export async function readUserFiles(
  config: LoadedConfig,
  { signal, hide, onProblem }: ReadOptions & { onProblem?: (problem: unknown) => void },
): Promise<UserFiles | undefined> {
  let wrong = false;
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (problem) {
      if (!onProblem || signal?.aborted) throw problem;
      wrong = true;
      onProblem(problem);
      return undefined;
    }
  };
  const control = await attempt(async () => {
    const read = readControl(config, hide);
    const nameOf = plateNames(config);
    return nameOf ? namedControl(read, nameOf) : read;
  });
  const legal = await attempt(() => readLegalTexts(config));
  const theme = await attempt(async () => {
    const read = await readTheme(config);
    // The built-in templates are checked by a test.
    if (read.folder !== undefined) checkTemplates(read);
    return read;
  });
  const assets = theme && (await attempt(() => readAssets(config, theme)));
  if (wrong || !control || !legal || !theme || !assets) return undefined;
  return { control, legal, theme, assets, customPages: findCustomPages(config) };
}
