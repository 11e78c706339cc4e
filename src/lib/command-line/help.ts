import {
  type Command,
  type CommandGroup,
  isGroup,
  type Option,
  optionsOf,
  type Program,
} from './definition.ts';

const WIDTH = 100;
/** Columns of an option's name; a longer one has a line of its own. */
const MOST_NAME = 24;

/** Lines of at most {@link WIDTH} characters, those after the first indented. */
function wrap(text: string, indent = 0): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && indent + line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}

/** The same for exit codes, with each code on the same line as its meaning. */
const wrapCodes = (text: string): string =>
  wrap(text.replaceAll(/(\d) /g, '$1\u00a0')).replaceAll('\u00a0', ' ');

/** Rows of two columns. */
function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.min(MOST_NAME, Math.max(...rows.map(([name]) => name.length)));
  return rows
    .map(([name, text]) => {
      const gap =
        name.length > width ? `\n${' '.repeat(width + 4)}` : ' '.repeat(width - name.length + 2);
      return `  ${name}${gap}${wrap(text, width + 4)}`;
    })
    .join('\n');
}

/** An option as it is typed: `--output DIR`. */
export const optionText = (name: string, option: Option): string =>
  option.type === 'boolean' ? `--${name}` : `--${name} ${option.value}`;

/** The default of an option, in words; undefined where the help names none. */
export function defaultText(option: Option): string | undefined {
  if (option.type === 'boolean') return undefined;
  if (option.unset !== undefined) return option.unset;
  return 'default' in option && option.default !== undefined ? String(option.default) : undefined;
}

/** Help text of an option with its choices, and whether it may be repeated. */
export function meaningOf(option: Option): string {
  if (option.type !== 'string') return option.help;
  const values = option.choices ?? option.known;
  const listed = values ? `: ${values.join(', ')}` : '';
  return `${option.help}${listed}${option.multiple ? '; may be repeated' : ''}`;
}

/** Exit codes in one sentence. */
export const exitCodesText = (codes: Readonly<Record<number, string>>): string =>
  `Exit codes: ${Object.entries(codes)
    .map(([code, meaning]) => `${code} ${meaning}`)
    .join(', ')}.`;

/** How a command is called, in one line. */
export function usageText(
  command: Command | CommandGroup,
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

function groupHelp(group: CommandGroup, path: readonly string[], program: Program): string {
  const all = group.commands.map(({ name, summary }) => [name, summary] as const);
  const each = program.line([...path, group.member.name.toUpperCase()], '--help');
  return [
    wrap(group.description),
    `Usage: ${usageText(group, path, program)}`,
    `${group.member.name[0]?.toUpperCase()}${group.member.name.slice(1)}s:\n${table(all)}`,
    `"${each}" explains each.`,
  ].join('\n\n');
}

/** The text of `--help`. */
export function helpText(
  command: Command | CommandGroup,
  path: readonly string[],
  program: Program,
): string {
  if (isGroup(command)) return `${groupHelp(command, path, program)}\n`;
  const rows = Object.entries(optionsOf(command)).map(([name, option]) => {
    const without = defaultText(option);
    const meaning = meaningOf(option);
    return [
      optionText(name, option),
      without === undefined ? meaning : `${meaning}; default ${without}`,
    ] as const;
  });
  const words = command.words ? [[command.words.name, command.words.help] as const] : [];
  const examples = (command.examples ?? []).map(
    ({ args, does }) => `  ${program.line(path, args, command)}\n      ${wrap(does, 6)}`,
  );
  const parts = [
    wrap(command.description),
    `Usage: ${usageText(command, path, program)}`,
    table([...words, ...rows]),
    ...(command.notes ?? []).map((note) => wrap(note)),
    ...(command.exitCodes ? [wrapCodes(exitCodesText(command.exitCodes))] : []),
    ...(examples.length > 0 ? [`Examples:\n${examples.join('\n')}`] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}
