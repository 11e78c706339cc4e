import {
  type AnyDefinition,
  type Command,
  isGroup,
  type Option,
  optionsOf,
  type Program,
} from './definition.ts';

/** An option as it is typed, a value in angle brackets: `--output <DIR>`. */
export const optionFlags = (name: string, option: Option): string =>
  option.type === 'boolean'
    ? `--${name}`
    : `--${name} <${option.value}${option.type === 'path' && option.multiple ? '...' : ''}>`;

/** The default of an option, in words. Undefined if it has none. */
function defaultText(option: Option): string | undefined {
  if (option.type === 'boolean') return undefined;
  if (option.unset !== undefined) return option.unset;
  return 'default' in option && option.default !== undefined ? String(option.default) : undefined;
}

/** Help text of an option with its choices, and whether it may be repeated. */
export function meaningOf(option: Option): string {
  if (option.type !== 'string') return option.help;
  const listed = option.choices ? `: ${option.choices.join(', ')}` : '';
  return `${option.help}${listed}${option.multiple ? ' (may be repeated)' : ''}`;
}

/** Exit codes in one sentence. */
export const exitCodesText = (codes: Readonly<Record<number, string>>): string =>
  `Exit codes: ${Object.entries(codes)
    .map(([code, meaning]) => `${code} ${meaning}`)
    .join(', ')}.`;

/** How a command is called, in one line. */
export function usageText(
  command: AnyDefinition,
  path: readonly string[],
  program: Program,
): string {
  if (isGroup(command)) {
    return program.line(path, `${command.member.name.toUpperCase()} [options]`);
  }
  const words = command.words
    ? [`[${command.words.name}${command.words.most > 1 ? '…' : ''}]`]
    : [];
  return program.line(path, [...words, '[options]'].join(' '), command);
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

function row(name: string, option: Option): string {
  const without = defaultText(option) ?? '';
  return `| \`${cell(optionFlags(name, option).replace(/[<>]/g, ''))}\` | ${cell(meaningOf(option))} | ${cell(without)} |`;
}

/** The words and options of a command as a table of Markdown. */
export function optionsTable(command: Pick<Command, 'words' | 'options'>): string {
  const { words } = command;
  return [
    '| Option | Meaning | Without it |',
    '| --- | --- | --- |',
    ...(words ? [`| \`${words.name}\` | ${cell(words.help)} | |`] : []),
    ...Object.entries(optionsOf(command)).map(([name, option]) => row(name, option)),
  ].join('\n');
}

function section(definition: AnyDefinition, above: readonly string[], program: Program): string[] {
  const path = [...above, definition.name];
  const usage = ['```text', usageText(definition, path, program), '```'].join('\n');
  const parts = [`${'#'.repeat(path.length + 1)} ${path.join(' ')}`, definition.description, usage];
  if (isGroup(definition)) {
    return [...parts, ...definition.commands.flatMap((one) => section(one, path, program))];
  }
  const { notes = [], exitCodes, examples = [] } = definition;
  parts.push(optionsTable(definition), ...notes, ...(exitCodes ? [exitCodesText(exitCodes)] : []));
  if (examples.length > 0) {
    const lines = examples.map(
      ({ args, does }) => `# ${does}\n${program.line(path, args, definition)}`,
    );
    parts.push(['```text', ...lines, '```'].join('\n'));
  }
  return parts;
}

/** The reference of all commands in Markdown, a section for each. */
export const commandReference = (commands: readonly AnyDefinition[], program: Program): string =>
  commands.flatMap((command) => section(command, [], program)).join('\n\n');
