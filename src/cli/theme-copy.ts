import path from 'node:path';
import { configFile } from '../config/environment.ts';
import { loadConfig } from '../config/load.ts';
import { EXIT } from '../errors.ts';
import type { Run } from '../lib/command-line/definition.ts';
import { copyIntoTheme, themeFolder } from '../render/theme/theme.ts';
import type { THEME_COPY_OPTIONS } from './options.ts';

export const run: Run<typeof THEME_COPY_OPTIONS> = async ({ values, positionals }, io) => {
  const [name = ''] = positionals;
  const theme = themeFolder(await loadConfig({ file: configFile(values, io), env: io.env }));
  const file = await copyIntoTheme(name, theme);
  io.stdout.write(`Copied: ${path.relative(io.cwd, file)}\n`);
  return EXIT.published;
};
