import { constants } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../../errors.ts';
import { didYouMean } from '../../lib/closest.ts';
import { filesBelow, folderExists } from './folder.ts';
import { TEMPLATES } from './theme.ts';

/**
 * Copies one of our templates or assets into a theme, where it replaces ours.
 *
 * @param name such as `partials/card.njk`.
 * @param theme the theme's folder, absolute. It is made if it is missing.
 * @returns the new file, absolute.
 * @throws {ConfigError} we have no file of this name, the theme has one, or the theme is not a folder.
 */
export async function copyIntoTheme(name: string, theme: string): Promise<string> {
  const ours = await filesBelow(TEMPLATES);
  const source = ours.get(name);
  if (source === undefined) {
    const names = [...ours.keys()];
    throw new ConfigError({
      code: 'theme-copy-unknown',
      what: `There is no template ${name}.`,
      why: `The templates are ${names.join(', ')}.`,
      fix: `Choose one of them.${didYouMean(name, names)}`,
    });
  }
  // Links and files in place of folders are refused here, so that the copy stays inside the theme.
  if (await folderExists(theme)) await filesBelow(theme);
  const file = path.join(theme, name);
  await mkdir(path.dirname(file), { recursive: true });
  try {
    await copyFile(source, file, constants.COPYFILE_EXCL);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw new ConfigError({
      code: 'theme-copy-exists',
      what: `The theme already has ${file}.`,
      why: 'It may hold your changes, so it was not replaced.',
      fix: 'Edit that file, or move it away and run the command again.',
      cause,
    });
  }
  return file;
}
