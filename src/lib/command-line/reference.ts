import {
  type AnyDefinition,
  type Command,
  isGroup,
  type Option,
  optionsOf,
  type Program,
} from './definition.ts';
import { defaultText, exitCodesText, meaningOf, optionText, usageText } from './help.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');

function row(name: string, option: Option): string {
  const without = defaultText(option) ?? '';
  return `| \`${cell(optionText(name, option))}\` | ${cell(meaningOf(option))} | ${cell(without)} |`;
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
