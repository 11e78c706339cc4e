import type { LoadedConfig } from '../config/load.ts';
import type { AssetSources } from '../site/views/assets.ts';
import type { LegalTexts } from '../site/views/site-pages.ts';
import { type DealerFacts, loadFacts } from '../stock/facts.ts';
import { readAssets } from './asset-sources.ts';
import {
  extensionFile,
  fillExtension,
  type LoadedExtension,
  openExtension,
} from './extension/load.ts';
import { readLegalTexts } from './legal-texts.ts';
import { checkTheme } from './theme/check.ts';
import { readTheme, type Theme } from './theme/theme.ts';

/** Everything beside the configuration that a person wrote and a build reads. */
export interface OwnFiles {
  /** What dealers' own lists say, by dealer id. */
  facts: ReadonlyMap<number, DealerFacts>;
  /** The texts of `site.legal`. */
  legal: LegalTexts;
  theme: Theme;
  /** The theme's assets and ours, and the dealers' logos. */
  assets: AssetSources;
  /** The extension with its data; undefined where there is none. */
  extension: LoadedExtension | undefined;
}

interface ReadOptions {
  signal?: AbortSignal | undefined;
}

/**
 * Reads them all, the extension's data included. Builds and the doctor do so here and nowhere else.
 *
 * @param onProblem takes every problem, and the others are looked for; without it the first is thrown.
 * @returns undefined where there was a problem.
 */
export function readOwnFiles(
  config: LoadedConfig,
  options: ReadOptions & { onProblem: (problem: unknown) => void },
): Promise<OwnFiles | undefined>;
export function readOwnFiles(config: LoadedConfig, options: ReadOptions): Promise<OwnFiles>;
export async function readOwnFiles(
  config: LoadedConfig,
  { signal, onProblem }: ReadOptions & { onProblem?: (problem: unknown) => void },
): Promise<OwnFiles | undefined> {
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
  const facts = new Map<number, DealerFacts>();
  for (const dealer of config.dealers) {
    const found = await attempt(() => loadFacts([dealer], config.file));
    for (const [id, one] of found ?? []) facts.set(id, one);
  }
  const legal = await attempt(() => readLegalTexts(config));
  // Its functions are part of the theme, and its data can wait until that is known to be right.
  const opened = await attempt(() => openExtension(config, { signal }));
  const isOpen = opened !== undefined || extensionFile(config) === undefined;
  const theme = await attempt(async () => {
    const read = await readTheme(config, opened?.functions);
    // Without them, templates would be said to call what is not there.
    if (isOpen) await checkTheme(read);
    return read;
  });
  const assets = theme && (await attempt(() => readAssets(config, theme)));
  const extension = opened && (await attempt(() => fillExtension(opened, config, { signal })));
  return wrong || !legal || !theme || !assets
    ? undefined
    : { facts, legal, theme, assets, extension };
}
