import { type AnyDefinition, isGroup, type Option, optionsOf } from '../definition.ts';

/** What a value or a word is completed with. */
export type Offer = 'file' | 'folder' | readonly string[] | undefined;

export interface OptionOffer {
  /** With its dashes: `--output`. */
  flag: string;
  help: string;
  takesValue: boolean;
  value: Offer;
}

/** What can follow the words that name a command or a group. */
export interface Place {
  /** Such as `batches export`; empty for the program itself. */
  path: string;
  commands: readonly { name: string; help: string }[];
  options: readonly OptionOffer[];
  words: Offer;
}

/** How the commands are reached on a command line. */
export interface CompletionOptions {
  /** The program whose arguments are completed, such as `npm`. */
  program: string;
  /** Words that may stand before a command's name, such as `run`. */
  before?: readonly string[];
  /** What a command's own arguments follow, such as `--`; nothing of the commands is offered before it. */
  separator?: string;
}

function offerOf(option: Option): Offer {
  if (option.type === 'path') return option.value === 'DIR' ? 'folder' : 'file';
  if (option.type !== 'string') return undefined;
  return option.choices ?? option.known ?? option.complete;
}

/** Every place of the command line, the deepest first: the first whose path matches is the one to complete. */
export function placesOf(
  commands: readonly AnyDefinition[],
  above: readonly string[] = [],
): Place[] {
  const here: Place = {
    path: above.join(' '),
    commands: commands.map(({ name, summary }) => ({ name, help: summary })),
    options: [],
    words: undefined,
  };
  const below = commands.flatMap((definition): Place[] => {
    const path = [...above, definition.name];
    if (isGroup(definition)) return placesOf(definition.commands, path);
    const options = Object.entries(optionsOf(definition)).map(([name, option]) => ({
      flag: `--${name}`,
      help: option.help,
      takesValue: option.type !== 'boolean',
      value: offerOf(option),
    }));
    return [{ path: path.join(' '), commands: [], options, words: definition.words?.complete }];
  });
  return [...below, here];
}

/** A text as one word of a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Prefix for the names of a completion script's functions. */
export const functionName = (program: string): string =>
  `_${program.replaceAll(/[^a-z0-9]/gi, '_')}_site`;
