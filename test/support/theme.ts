import { tmpdir } from 'node:os';
import path from 'node:path';
import { siteSchema } from '../../src/config/site-schema.ts';
import { readAssets } from '../../src/render/asset-sources.ts';
import type { Attempt } from '../../src/render/attempt.ts';
import { readTheme, type Theme } from '../../src/render/theme/theme.ts';

const site = siteSchema.parse({ title: 'T', url: 'https://cars.example' });

/** Source of a site with the theme in a folder beside its configuration. */
export const themeIn = (folder: string, theme?: string): Promise<Theme> =>
  readTheme({
    site: theme === undefined ? site : { ...site, theme },
    file: path.join(folder, 'site.config.json'),
  });

/** Source of a site with the default theme. */
export const shippedTheme = (): Promise<Theme> => themeIn(path.join(tmpdir(), 'no-theme-here'));

/** Throws the first problem of a user's file. */
export const atOnce: Attempt = async (read) => read();

/** Assets of a site with the default theme. */
export const shippedAssets = async (config: Parameters<typeof readAssets>[0]) =>
  readAssets(config, await shippedTheme(), atOnce);
