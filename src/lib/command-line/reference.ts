import { type AnyDefinition, isGroup, optionsOf, type Program } from './definition.ts';
import { defaultText, exitCodesText, meaningOf, optionText, usageText } from './help.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');

function section(definition: AnyDefinition, above: readonly string[], program: Program): string[] {
  const path = [...above, definition.name];
  const usage = ['```text', usageText(definition, path, program), '```'].join('\n');
  const parts = [`${'#'.repeat(path.length + 1)} ${path.join(' ')}`, definition.description, usage];
  if (isGroup(definition)) {
    return [...parts, ...definition.commands.flatMap((one) => section(one, path, program))];
  }
  const { words, notes = [], exitCodes, examples = [] } = definition;
  const rows = Object.entries(optionsOf(definition)).map(([name, option]) => {
    const without = defaultText(option);
    return `| \`${optionText(name, option)}\` | ${cell(meaningOf(option))} | ${without === undefined ? '' : cell(without)} |`;
  });
  if (words) rows.unshift(`| \`${words.name}\` | ${cell(words.help)} | |`);
  parts.push(
    ['| Option | Meaning | Without it |', '| --- | --- | --- |', ...rows].join('\n'),
    ...notes,
    ...(exitCodes ? [exitCodesText(exitCodes)] : []),
  );
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
