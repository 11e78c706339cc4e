import path from 'node:path';
import { Command as Parser, Option as ParserOption } from 'commander';
import { didYouMean } from '../closest.ts';
import {
  type AnyDefinition,
  type Args,
  type Command,
  isGroup,
  type Option,
  optionsOf,
  type Program,
} from './definition.ts';
import { exitCodesText, meaningOf, optionFlags, usageText } from './reference.ts';
import { checkLocalPath, strayWords, valueMissing, wrongValue } from './wrong-argument.ts';

/** Columns of help. */
const WIDTH = 100;

function numberOf(name: string, text: string, option: Option & { type: 'number' }): number {
  const { least = 0, most = Number.MAX_SAFE_INTEGER } = option;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  const fix = `Give a whole number from ${least} to ${most}.`;
  throw wrongValue(name, 'It is not a whole number in its range.', fix);
}

function timeOf(name: string, text: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  const fix = 'Write it in ISO 8601, such as 2026-03-02T02:00:00Z.';
  throw wrongValue(name, 'It is not a time.', fix);
}

function chosen(name: string, text: string, choices: readonly string[] | undefined): string {
  if (!choices || choices.includes(text)) return text;
  const fix = `Use one of: ${choices.join(', ')}.${didYouMean(text, choices)}`;
  throw wrongValue(name, 'It is not one of the known values.', fix);
}

/** A value as its option's type. Values never appear in errors. */
function readValue(name: string, option: Option, text: string, before: unknown, cwd: string) {
  // Without this, `--title --quiet` would take "--quiet" for the title.
  if (text.startsWith('--')) throw valueMissing(optionFlags(name, option));
  switch (option.type) {
    case 'number':
      return numberOf(name, text, option);
    case 'time':
      return timeOf(name, text);
    case 'path': {
      checkLocalPath(name, text);
      const value = path.resolve(cwd, text);
      return option.multiple ? [...((before as string[] | undefined) ?? []), value] : value;
    }
    case 'string': {
      const value = chosen(name, text, option.choices);
      return option.multiple ? [...((before as string[] | undefined) ?? []), value] : value;
    }
    default:
      return text;
  }
}

function parserOption(name: string, option: Option, cwd: string): ParserOption {
  const made = new ParserOption(optionFlags(name, option), meaningOf(option));
  if (option.type === 'boolean') return made;
  made.argParser((text, before) => readValue(name, option, text, before, cwd));
  if (option.type === 'string' && option.required) return made.makeOptionMandatory();
  const given = 'default' in option ? option.default : undefined;
  if (given === undefined) return option.unset ? made.default(undefined, option.unset) : made;
  const value = option.type === 'path' ? path.resolve(cwd, `${given}`) : given;
  return made.default(value, String(given));
}

/** What the library parsed, under the names of the definition. */
function argsOf(definition: Command, parser: Parser): Args {
  const given = new Set<string>();
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(optionsOf(definition))) {
    const flag = new ParserOption(`--${name}`);
    const key = flag.attributeName();
    // A default of `[]` would be printed by --help.
    const isList = 'multiple' in option && option.multiple;
    const value: unknown = parser.getOptionValue(key) ?? (isList ? [] : undefined);
    const isFlag = option.type === 'boolean';
    const isGiven =
      parser.getOptionValueSource(key) === 'cli' && (!isFlag || value === !flag.negate);
    if (isGiven) given.add(name);
    values[name] = isFlag ? isGiven : value;
  }
  return { values: values as Args['values'], words: parser.args, given };
}

/** Text after the options: notes, exit codes and examples. */
function textAfter(definition: Command, above: readonly string[], program: Program): string {
  const { notes = [], exitCodes, examples = [] } = definition;
  const lines = examples.map(
    ({ args, does }) => `  ${program.line(above, args, definition)}\n      ${does}`,
  );
  return [
    ...notes,
    ...(exitCodes ? [exitCodesText(exitCodes)] : []),
    ...(lines.length > 0 ? [`Examples:\n${lines.join('\n')}`] : []),
  ].join('\n\n');
}

export interface ParserOptions {
  program: Program;
  /** Folder that relative paths start from. */
  cwd: string;
  write(text: string): void;
  writeError(text: string): void;
  /** Called with the command that the arguments name, and its own arguments. */
  run(definition: Command, args: Args): Promise<void>;
}

/**
 * A command, or a group with all its commands, for the library that parses arguments and prints help.
 *
 * @param above the words that lead to it.
 */
export function parserFor(
  definition: AnyDefinition,
  options: ParserOptions,
  above: readonly string[] = [],
): Parser {
  const { program, cwd, write, writeError, run } = options;
  const parser = new Parser(definition.name)
    .description(definition.description)
    .summary(definition.summary)
    .exitOverride()
    .helpOption('-h, --help', 'show this help')
    // Errors are thrown, and reported in our form.
    .configureOutput({ writeOut: write, writeErr: writeError, outputError: () => {} })
    .configureHelp({
      helpWidth: WIDTH,
      commandUsage: () => usageText(definition, above, program),
      subcommandTerm: (command) => command.name(),
    });
  if (isGroup(definition)) {
    for (const one of definition.commands) {
      parser.addCommand(parserFor(one, options, [...above, one.name]));
    }
    return parser;
  }
  const { words } = definition;
  if (words) parser.argument(`[${words.name}${words.most > 1 ? '...' : ''}]`, words.help);
  for (const [name, option] of Object.entries(optionsOf(definition))) {
    parser.addOption(parserOption(name, option, cwd));
  }
  const after = textAfter(definition, above, program);
  if (after !== '') parser.addHelpText('after', `\n${after}`);
  return parser.allowExcessArguments().action(async () => {
    if (parser.args.length > (words?.most ?? 0)) throw strayWords(definition);
    await run(definition, argsOf(definition, parser));
  });
}
