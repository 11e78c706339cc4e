import { bench } from '../../bench/commands.ts';
import { command, SITE, SITE_COMMANDS } from '../../src/cli/commands.ts';
import type { CommandGroup } from '../../src/lib/command-line/definition.ts';
import {
  chaos,
  lockfile,
  packageCommand,
  releaseNotes,
  schema,
  screenshots,
} from './definitions/development.ts';
import { newCommand } from './definitions/new.ts';
import { start } from './definitions/start.ts';

/** Commands for those who work on this project. */
export const DEVELOPMENT_COMMANDS = [
  command(start, () => import('./start.ts')),
  command(newCommand, () => import('./new.ts')),
  bench,
  command(chaos, () => import('./chaos.ts')),
  command(screenshots, () => import('./screenshots.ts')),
  command(schema, () => import('./schema.ts')),
  command(lockfile, () => import('./lockfile.ts')),
  command(packageCommand, () => import('./package.ts')),
  command(releaseNotes, () => import('./release-notes.ts')),
] as const;

/** Every command of this project. */
export const COMMANDS: CommandGroup = {
  ...SITE,
  commands: [...SITE_COMMANDS, ...DEVELOPMENT_COMMANDS],
};
