import type { Readable, Writable } from 'node:stream';

/** A stream that a command writes to. A terminal says how wide it is. */
export type OutputStream = Writable & { isTTY?: boolean; columns?: number };

/** Everything that a command sees of its process. A test gives its own. */
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

interface AnyOption {
  /** Half a sentence in small letters, without a full stop. */
  help: string;
}

interface ValueOption extends AnyOption {
  /** What stands for the value in the help, such as `DIR`. */
  value: string;
  /** What happens without the option, in words. For options whose default is computed. */
  unset?: string;
}

export interface Flag extends AnyOption {
  type: 'boolean';
}

export interface TextOption extends ValueOption {
  type: 'string';
  default?: string;
  /** May be given several times. */
  multiple?: true;
  /** The values there are; another is refused. */
  choices?: readonly string[];
  /** The option must be given. */
  required?: true;
}

/** A path. The command gets it absolute. */
export interface PathOption extends ValueOption {
  type: 'path';
  value: 'FILE' | 'DIR';
  default?: string;
  /** May be given several times, and takes several paths. */
  multiple?: true;
}

/** A whole number from `least` (0 by default) to `most`. */
export interface NumberOption extends ValueOption {
  type: 'number';
  default?: number;
  least?: number;
  most?: number;
}

/** A moment in ISO 8601. The command gets milliseconds since 1970. */
export interface TimeOption extends ValueOption {
  type: 'time';
}

export type Option = Flag | TextOption | PathOption | NumberOption | TimeOption;
export type Options = Readonly<Record<string, Option>>;

type Base<O> = O extends { choices: readonly (infer C)[] }
  ? C
  : O extends { type: 'number' | 'time' }
    ? number
    : string;

type ValueOf<O> = O extends { type: 'boolean' }
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
  words: string[];
  /** Names of the options that were given. */
  given: ReadonlySet<string>;
}

/** What a command does: a function of its arguments that resolves to the exit code of the process. */
export type Run<O extends Options = Options> = (args: Args<O>, io: Io) => Promise<number>;

export interface Positionals {
  /** What stands for one of them in the help, such as `DIR`. */
  name: string;
  help: string;
  most: number;
}

interface AnyCommand {
  /** The word that it is called by. */
  name: string;
  /** One line for lists of commands, without a full stop. */
  summary: string;
}

/**
 * A command, defined once: parsing, `--help`, and the reference of the
 * documentation come from this. It is data; what the command does is loaded when it runs.
 */
export interface Command<O extends Options = Options> extends AnyCommand {
  /** What it does and when one needs it: whole sentences. */
  description: string;
  options: O;
  words?: Positionals;
  /** Whole sentences that follow the options. */
  notes?: readonly string[];
  exitCodes?: Readonly<Record<number, string>>;
  /** Arguments as they are typed, and what they do. */
  examples?: readonly { args: string; does: string }[];
  /** Whoever calls it adds nothing of its own to the output, as `npm run --silent` does. */
  silent?: boolean;
  /** Its arguments may look like keys without being secrets, so they are not refused. */
  takesKeys?: boolean;
  /** It may leave connections open that would keep the process alive, so the process is ended after it. */
  leavesConnections?: boolean;
  load(): Promise<{ run: Run<O> }>;
}

/** Commands below a word of their own, such as `batches`. */
export interface CommandGroup extends AnyCommand {
  description: string;
  commands: readonly AnyDefinition[];
  /** What a member is called, such as `command`, and the code of the error about an unknown one. */
  member: { name: string; code: string };
}

// Each command's function takes the values of its own options, and lists of commands mix them.
// biome-ignore lint/suspicious/noExplicitAny: the options of commands differ.
export type AnyDefinition = Command<any> | CommandGroup;

/** How the commands are called on a terminal, such as by `npm run`. */
export interface Program {
  /** A command with what follows it, as a person types it. */
  line(path: readonly string[], args: string, command?: Pick<Command, 'silent'>): string;
  /** Runs before any command, such as reading `.env`; help needs no preparation. */
  prepare?(io: Io): Promise<void>;
}

/** Returns its argument with the exact types of the options, which the command's function relies on. */
export const defineOptions = <const O extends Options>(options: O): O => options;

export const defineCommand = <const O extends Options>(command: Command<O>): Command<O> => command;

export const isGroup = (definition: AnyDefinition): definition is CommandGroup =>
  'commands' in definition;

/** Options that every command takes. */
export const COMMON = defineOptions({
  debug: { type: 'boolean', help: 'show stack traces' },
});

/** The options of a command, the common ones last. */
export const optionsOf = (command: { options: Options }): Record<string, Option> => ({
  ...command.options,
  ...COMMON,
});
