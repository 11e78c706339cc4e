import {
  defaultCacheFolder,
  defaultConfigFile,
  type LoadedConfig,
  loadConfig,
  loadEnvironmentFile,
} from '../config/load.ts';
import { embedOf } from '../media/embeds/embed.ts';
import { type MediaLineOptions, type MediaResult, runMediaLine } from '../media/line.ts';
import { planSources } from '../media/plan.ts';
import { recipeBook } from '../media/recipes.ts';
import { buildModel, providersOf } from '../site/build-model.ts';
import type { SiteModel } from '../site/view.ts';
import { type DealerFacts, loadFacts } from '../stock/facts.ts';
import { type DealerStock, loadStock } from '../stock/load.ts';
import type { VideoMedia } from '../stock/vehicle.ts';
import { readAssets, tellMissingAssets } from './asset-sources.ts';
import { type LoadedExtension, loadExtension } from './extension/load.ts';
import { ownPagesOf } from './extension/pages.ts';
import type { Prepared } from './handover.ts';
import { checkTemplates } from './theme/environment.ts';
import { readTheme, type Theme } from './theme/theme.ts';

/** Addresses of the stills of videos, and the hosts that they need: none where they are not wanted. */
function posters(config: LoadedConfig) {
  if (config.videos.posters === 'picture') return { posterOf: () => undefined, hosts: [] };
  const providers = providersOf(config);
  return {
    posterOf: (video: VideoMedia) => embedOf(video, providers).embed?.poster,
    // Such addresses are written by us alone, so their hosts need not be allowed by the config.
    hosts: providers.flatMap(({ posterHosts = [] }) => posterHosts),
  };
}

export interface PreparedSite {
  model: SiteModel;
  media: MediaResult;
  /** What dealers' own lists say, by dealer id. */
  facts: ReadonlyMap<number, DealerFacts>;
  theme: Theme;
  /** The extension with its data; undefined where there is none. */
  extension: LoadedExtension | undefined;
}

/** The view models for pictures that are made, with a theme and assets as they are now. */
export async function modelOf(
  config: LoadedConfig,
  stock: readonly DealerStock[],
  { media, facts, theme, extension }: Omit<PreparedSite, 'model'>,
): Promise<SiteModel> {
  const assets = await readAssets(config, theme);
  return tellMissingAssets(theme, () =>
    buildModel({
      config,
      stock,
      book: recipeBook(config.media),
      pictures: { contentOf: media.contentOf, has: (name) => media.outputs.has(name) },
      facts,
      assets,
      languages: theme.languages,
      ...(extension && {
        extension: { data: extension.data, pages: ownPagesOf(extension, config, theme) },
      }),
    }),
  );
}

/** Thumbnails for a stock, and the view models that use them. */
export async function prepareSite(
  config: LoadedConfig,
  stock: readonly DealerStock[],
  options: Pick<MediaLineOptions, 'cacheDir' | 'now' | 'signal' | 'onProgress'>,
): Promise<PreparedSite> {
  const facts = await loadFacts(config.dealers, config.file);
  // Everything that a person may have got wrong is read before the pictures are made.
  const theme = await readTheme(config);
  checkTemplates(theme);
  await readAssets(config, theme);
  const extension = await loadExtension(config, { signal: options.signal });
  const book = recipeBook(config.media);
  const { posterOf, hosts } = posters(config);
  const sources = planSources(
    stock.flatMap(({ vehicles }) => vehicles),
    book,
    posterOf,
  );
  const media = await runMediaLine({
    ...options,
    sources,
    media: { ...config.media, hosts: [...config.media.hosts, ...hosts] },
    baseUrl: config.service.baseUrl,
  });
  const model = await modelOf(config, stock, { media, facts, theme, extension });
  return { model, media, facts, theme, extension };
}

/**
 * The model for `npx eleventy --serve`: the answers of the last hour are used again, so that
 * people who change templates do not wait for the service. Nothing is verified or published here.
 */
export async function prepareForTemplates(): Promise<Prepared> {
  loadEnvironmentFile();
  const config = await loadConfig({ file: defaultConfigFile(), keysFor: 'dealers' });
  const cacheDir = defaultCacheFolder();
  const now = Date.now();
  const stock = await loadStock({ config, cacheDir, now, maxAge: '1h' });
  const { model, media, theme } = await prepareSite(config, stock, { cacheDir, now });
  return { model, theme, mediaFolder: media.folder };
}
