import type { Readable, Writable } from 'node:stream';

/** A stream that a command writes to. A terminal has a width. */
export type OutputStream = Writable & { isTTY?: boolean; columns?: number };

/** Everything that a command uses of its process. Tests replace it. */
export interface Io {
  stdin: Readable & { isTTY?: boolean };
  stdout: OutputStream;
  stderr: OutputStream;
  env: NodeJS.ProcessEnv;
  /** Folder that relative paths start from, absolute. */
  cwd: string;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
}

/** An option of a command. Its name is the key in {@link Options}. */
export interface Option {
  /** A command receives a path as absolute path, and a time (ISO 8601) as milliseconds since 1970. */
  type: 'boolean' | 'string' | 'path' | 'number' | 'time';
  /** A phrase in lower case, without a full stop. */
  help: string;
  /** Name of the value in the help, such as `DIR`. Missing if it takes no value. */
  value?: string;
  default?: string | number;
  /** Text about the default, if it is computed. */
  unset?: string;
  /** It may be given several times. A path then takes several paths. */
  multiple?: true;
  /** The accepted values. */
  choices?: readonly string[];
  required?: true;
  /** Range of a number, from 0 by default. */
  least?: number;
  most?: number;
}

export type Options = Readonly<Record<string, Option>>;

type Details = Partial<Omit<Option, 'type' | 'help' | 'value'>>;

const withValue =
  <const T extends Option['type']>(type: T) =>
  <const D extends Details>(value: string, help: string, details: D = {} as D) => ({
    type,
    value,
    help,
    ...details,
  });

/** Options by type, for short definitions. */
export const flag = (help: string) => ({ type: 'boolean', help }) as const;
export const textOption = withValue('string');
export const pathOption = withValue('path');
export const numberOption = withValue('number');
export const timeOption = withValue('time');

type Base<O> = O extends { choices: readonly (infer C)[] }
  ? C
  : O extends { type: 'number' | 'time' }
    ? number
    : string;

type ValueOf<O> = Option extends O
  ? unknown
  : O extends { type: 'boolean' }
    ? boolean
    : O extends { multiple: true }
      ? string[]
      : O extends { default: string | number } | { required: true }
        ? Base<O>
        : Base<O> | undefined;

export type Values<O extends Options> = { -readonly [N in keyof O]: ValueOf<O[N]> };

/** The arguments of a command, checked. */
export interface Args<O extends Options = Options> {
  values: Values<O> & { debug: boolean };
  /** Positional arguments, in order. */
  positionals: string[];
  given: ReadonlySet<string>;
}

/** The function of a command. It resolves to the exit code of the process. */
export type Run<O extends Options = Options> = (args: Args<O>, io: Io) => Promise<number>;

interface Positionals {
  /** Name of an argument in the help, such as `DIR`. */
  name: string;
  help: string;
  most: number;
}

interface AnyCommand {
  /** The word that runs it. */
  name: string;
  /** One line for lists of commands, without a full stop. */
  summary: string;
}

/**
 * A command, defined once as data for parsing, `--help` and docs/commands.md. Its function is loaded when it
 * runs.
 */
export interface Command<O extends Options = Options> extends AnyCommand {
  /** Its purpose, and when you need it, in sentences. */
  description: string;
  options: O;
  positionals?: Positionals;
  /** Sentences that follow the options. */
  notes?: readonly string[];
  exitCodes?: Readonly<Record<number, string>>;
  /** Arguments as you type them, and their effect. */
  examples?: readonly { args: string; does: string }[];
  /** npm must add nothing to the output (`npm run --silent`), because it is data. */
  silent?: boolean;
  load(): Promise<{ run: Run<O> }>;
}

/** Commands with a common first word, such as `batches`. */
export interface CommandGroup extends AnyCommand {
  description: string;
  commands: readonly AnyDefinition[];
  /** Name of a member in messages, such as `command`, and the code of the error about an unknown member. */
  member: { name: string; code: string };
}

// Each command's function takes the values of its options, and lists of commands mix them.
// biome-ignore lint/suspicious/noExplicitAny: the options of commands differ.
export type AnyDefinition = Command<any> | CommandGroup;

/** The way commands are run on a terminal, such as `npm run`. */
export interface Program {
  /** A command with its arguments, as you type it. */
  line(path: readonly string[], args: string, command?: Pick<Command, 'silent'>): string;
  /** Runs before a command, for example to read `.env`. Not before help. */
  prepare?(io: Io): Promise<void>;
}

/** Returns its argument with the exact types of the options, which the command's function relies on. */
export const defineOptions = <const O extends Options>(options: O): O => options;

export const defineCommand = <const O extends Options>(command: Command<O>): Command<O> => command;

export const isGroup = (definition: AnyDefinition): definition is CommandGroup =>
  'commands' in definition;

/** Options that every command takes. */
const COMMON = defineOptions({ debug: flag('show stack traces') });

/** The options of a command, the common ones last. */
export const optionsOf = (command: { options: Options }): Record<string, Option> => ({
  ...command.options,
  ...COMMON,
});
