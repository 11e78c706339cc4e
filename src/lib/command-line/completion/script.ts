import type { AnyDefinition } from '../definition.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { type CompletionOptions, placesOf } from './words.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

export type Shell = keyof typeof SCRIPTS;
export const SHELLS = Object.keys(SCRIPTS) as Shell[];

/** A script that makes a shell complete commands, options and their values. */
export const completionScript = (
  shell: Shell,
  commands: readonly AnyDefinition[],
  options: CompletionOptions,
): string => SCRIPTS[shell](placesOf(commands), options);
