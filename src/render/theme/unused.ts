import { ConfigError, printable } from '../../errors.ts';

/** A file of a theme that has no effect: most likely its name is misspelled. */
export const nothingUses = (file: string, why: string, fix: string): ConfigError =>
  new ConfigError({
    code: 'theme-file-unused',
    what: `Nothing uses the theme's file ${printable(file)}.`,
    why,
    fix,
  });

/** A part of a theme's file that has no effect. */
export const nothingShows = (what: string, file: string, why: string, fix: string): ConfigError =>
  new ConfigError({
    code: 'theme-text-unused',
    what: `Nothing shows ${what} of the theme's file ${printable(file)}.`,
    why,
    fix,
  });
