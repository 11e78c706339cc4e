import path from 'node:path';
import { loadConfig } from '../config/load.ts';
import { ConfigError, EXIT } from '../errors.ts';
import type { Run } from '../lib/command-line/definition.ts';
import { copyIntoTheme, themeFolder } from '../render/theme/theme.ts';
import type { THEME_COPY_OPTIONS } from './options.ts';
import { configFile } from './shared.ts';

export const run: Run<typeof THEME_COPY_OPTIONS> = async ({ values, positionals }, io) => {
  const [name] = positionals;
  if (name === undefined) {
    throw new ConfigError({
      code: 'argument-missing',
      what: 'No template was given.',
      why: 'The command copies the file that you name.',
      fix: 'Name one, such as: npm run theme -- copy partials/card.njk',
    });
  }
  const theme = themeFolder(await loadConfig({ file: configFile(values, io), env: io.env }));
  const file = await copyIntoTheme(name, theme);
  io.stdout.write(`Copied: ${path.relative(io.cwd, file)}\n`);
  return EXIT.published;
};
