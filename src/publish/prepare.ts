import {
  defaultConfigFile,
  type LoadedConfig,
  loadConfig,
  loadEnvironmentFile,
} from '../config/load.ts';
import { type MediaLineOptions, type MediaResult, runMediaLine } from '../media/line.ts';
import { planSources } from '../media/plan.ts';
import { recipeBook } from '../media/recipes.ts';
import { buildModel } from '../site/build-model.ts';
import type { SiteModel } from '../site/view.ts';
import { type DealerStock, loadStock } from '../stock/load.ts';
import type { Prepared } from './handover.ts';

/** Thumbnails for a stock, and the view models that use them. */
export async function prepareSite(
  config: LoadedConfig,
  stock: readonly DealerStock[],
  options: Pick<MediaLineOptions, 'cacheDir' | 'now' | 'signal' | 'onProgress'>,
): Promise<{ model: SiteModel; media: MediaResult }> {
  const book = recipeBook(config.media);
  const sources = planSources(
    stock.flatMap(({ vehicles }) => vehicles),
    book,
  );
  const media = await runMediaLine({
    ...options,
    sources,
    media: config.media,
    baseUrl: config.service.baseUrl,
  });
  const model = buildModel({
    config,
    stock,
    book,
    pictures: { contentOf: media.contentOf, has: (name) => media.outputs.has(name) },
  });
  return { model, media };
}

/**
 * The model for `npx eleventy --serve`: the answers of the last hour are used again, so that
 * people who change templates do not wait for the service. Nothing is verified or published here.
 */
export async function prepareForTemplates(): Promise<Prepared> {
  loadEnvironmentFile();
  const config = await loadConfig({ file: defaultConfigFile(), keysFor: 'dealers' });
  const cacheDir = '.cache';
  const now = Date.now();
  const stock = await loadStock({ config, cacheDir, now, maxAge: '1h' });
  const { model, media } = await prepareSite(config, stock, { cacheDir, now });
  return { model, mediaFolder: media.folder };
}
