/** The Markdown reference of commands, from the same objects as `--help`. */
import type { Command as Parser } from 'commander';
import {
  type AnyDefinition,
  isGroup,
  type Program,
} from '../../src/lib/command-line/definition.ts';
import { exitCodesText, parserFor } from '../../src/lib/command-line/parser.ts';

const cell = (text = ''): string => text.replaceAll('|', '\\|');

/** The positional arguments and options of a command as a Markdown table. */
function tableOf(parser: Parser): string {
  const rows = [
    ...parser.registeredArguments.map((argument) => [argument.name(), argument.description, '']),
    ...parser.options.map(({ flags, description, defaultValueDescription }) => [
      flags.replace(/[<>]/g, ''),
      description,
      defaultValueDescription,
    ]),
  ];
  return [
    '| Option | Meaning | Without it |',
    '| --- | --- | --- |',
    ...rows.map(([flags, ...texts]) => `| \`${cell(flags)}\` | ${texts.map(cell).join(' | ')} |`),
  ].join('\n');
}

/** Commander's object of a command, only to describe it. */
const parserOf = (definition: AnyDefinition, program: Program, above: readonly string[]) =>
  parserFor(definition, { program, cwd: '/', write: () => {}, run: async () => {} }, above);

const fence = (...lines: string[]): string => ['```text', ...lines, '```'].join('\n');

function section(definition: AnyDefinition, above: readonly string[], program: Program): string[] {
  const path = [...above, definition.name];
  const parser = parserOf(definition, program, path);
  const parts = [
    `${'#'.repeat(path.length + 1)} ${path.join(' ')}`,
    definition.description,
    fence(parser.createHelp().commandUsage(parser)),
  ];
  if (isGroup(definition)) {
    return [...parts, ...definition.commands.flatMap((member) => section(member, path, program))];
  }
  const { notes = [], exitCodes, examples = [] } = definition;
  parts.push(tableOf(parser), ...notes);
  if (exitCodes) parts.push(exitCodesText(exitCodes));
  const lines = examples.map(
    ({ args, does }) => `# ${does}\n${program.line(path, args, definition)}`,
  );
  return lines.length > 0 ? [...parts, fence(...lines)] : parts;
}

/** The reference of all commands, with a section for each. */
export const commandReference = (commands: readonly AnyDefinition[], program: Program): string =>
  commands.flatMap((command) => section(command, [], program)).join('\n\n');
