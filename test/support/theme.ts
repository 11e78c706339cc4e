import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { siteSchema } from '../../src/config/site-schema.ts';
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

/** Writes files by their paths below a folder. */
export async function writeFilesBelow(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}
