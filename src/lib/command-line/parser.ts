/** Definitions as commands of commander, which parses arguments and prints help. */
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
import {
  checkLocalPath,
  optionMissing,
  tooManyPositionals,
  valueMissing,
  wrongValue,
} from './wrong-argument.ts';

/** Columns of help. */
const WIDTH = 100;

function numberOf(name: string, text: string, option: Option): number {
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

function textOf(name: string, text: string, { choices }: Option): string {
  if (!choices || choices.includes(text)) return text;
  const fix = `Use one of: ${choices.join(', ')}.${didYouMean(text, choices)}`;
  throw wrongValue(name, 'It is not one of the known values.', fix);
}

/** Commander would store `--no-check` as `check: false`, and `--dry-run` as `dryRun`. */
class NamedOption extends ParserOption {
  override negate = false;
  override attributeName(): string {
    return this.name();
  }
}

function parserOption(name: string, option: Option, cwd: string): NamedOption {
  const { type, help, value, choices, multiple, unset, default: defaultValue } = option;
  const several = multiple && type === 'path' ? '...' : '';
  const flags = value === undefined ? `--${name}` : `--${name} <${value}${several}>`;
  const choicesText = choices ? `: ${choices.join(', ')}` : '';
  const repeated = multiple && type === 'string' ? ' (may be repeated)' : '';
  const parsed = new NamedOption(flags, `${help}${choicesText}${repeated}`);
  if (type === 'boolean') return parsed;
  // Values never appear in errors.
  const parseValue = (text: string): string | number => {
    // Without this, `--title --quiet` would set the title to "--quiet".
    if (text.startsWith('--')) throw valueMissing(flags);
    if (type === 'number') return numberOf(name, text, option);
    if (type === 'time') return timeOf(name, text);
    if (type === 'string') return textOf(name, text, option);
    checkLocalPath(name, text);
    return path.resolve(cwd, text);
  };
  parsed.argParser<unknown>((text, previous) =>
    multiple ? [...((previous as string[] | undefined) ?? []), parseValue(text)] : parseValue(text),
  );
  const fallback =
    type === 'path' && defaultValue !== undefined
      ? path.resolve(cwd, `${defaultValue}`)
      : defaultValue;
  const text = unset ?? (defaultValue === undefined ? undefined : String(defaultValue));
  return text === undefined ? parsed : parsed.default(fallback, text);
}

/** The arguments under the names of the definition. */
function argsOf(definition: Command, parser: Parser): Args {
  const values: Record<string, unknown> = {};
  for (const [name, { type, multiple, required }] of Object.entries(optionsOf(definition))) {
    // Not set as defaults of the parser, because --help would print them.
    const empty = type === 'boolean' ? false : multiple && [];
    values[name] = parser.getOptionValue(name) ?? empty;
    // Commander would report it before a misspelled `--fromat`.
    if (required && values[name] === undefined) throw optionMissing(name);
  }
  const given = Object.keys(values).filter((name) => parser.getOptionValueSource(name) === 'cli');
  return { values: values as Args['values'], positionals: parser.args, given: new Set(given) };
}

/** Exit codes in one sentence. */
export const exitCodesText = (codes: Readonly<Record<number, string>>): string =>
  `Exit codes: ${Object.entries(codes)
    .map(([code, meaning]) => `${code} ${meaning}`)
    .join(', ')}.`;

/** Notes, exit codes and examples, which follow the options. */
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

/** A command's usage in one line. */
function usageText(definition: AnyDefinition, above: readonly string[], program: Program): string {
  if (isGroup(definition)) {
    return program.line(above, `${definition.member.name.toUpperCase()} [options]`);
  }
  const { name, most } = definition.positionals ?? { name: '', most: 0 };
  const positionals = most > 0 ? `[${name}${most > 1 ? '…' : ''}] ` : '';
  return program.line(above, `${positionals}[options]`, definition);
}

interface ParserOptions {
  program: Program;
  cwd: string;
  write(text: string): void;
  /** Called with the command and its arguments. */
  run(definition: Command, args: Args): Promise<void>;
}

/**
 * A command, or a group with all its commands.
 *
 * @param above names of the groups that contain it.
 */
export function parserFor(
  definition: AnyDefinition,
  options: ParserOptions,
  above: readonly string[] = [],
): Parser {
  const { program, cwd, write, run } = options;
  const parser = new Parser(definition.name)
    .description(definition.description)
    .summary(definition.summary)
    .exitOverride()
    .helpOption('-h, --help', 'show this help')
    // Commander throws errors. This program reports them in its own form.
    .configureOutput({ writeOut: write, writeErr: () => {}, outputError: () => {} })
    .configureHelp({
      helpWidth: WIDTH,
      commandUsage: () => usageText(definition, above, program),
      subcommandTerm: (command) => command.name(),
    });
  if (isGroup(definition)) {
    for (const member of definition.commands) {
      parser.addCommand(parserFor(member, options, [...above, member.name]));
    }
    return parser;
  }
  const { positionals } = definition;
  const most = positionals?.most ?? 0;
  if (positionals) {
    parser.argument(`[${positionals.name}${most > 1 ? '...' : ''}]`, positionals.help);
  }
  for (const [name, option] of Object.entries(optionsOf(definition))) {
    parser.addOption(parserOption(name, option, cwd));
  }
  const appendix = textAfter(definition, above, program);
  if (appendix !== '') parser.addHelpText('after', `\n${appendix}`);
  return parser.allowExcessArguments().action(async () => {
    if (parser.args.length > most) throw tooManyPositionals(definition);
    await run(definition, argsOf(definition, parser));
  });
}
