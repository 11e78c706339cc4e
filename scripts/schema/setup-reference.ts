import { NPM } from '../../src/cli/commands.ts';
import { HOSTS, type Limits, limitText } from '../../src/config/hosts.ts';
import { MESSAGES, type Message, NO_FIX } from '../../src/setup/findings.ts';
import { COMMANDS } from '../commands/index.ts';
import { commandReference } from './command-reference.ts';
import { cell, configReference } from './config-reference.ts';
import { errorReference } from './errors.ts';
import { viewModelReference } from './view-models.ts';

/** The doctor's table in docs/errors.md. */
function findingsTable(): string {
  const rows = Object.entries<Message>(MESSAGES).map(
    ([code, { severity, meaning, fix }]) =>
      `| \`${code}\` | ${severity} | ${cell(meaning)} | ${cell(fix ?? (severity === 'info' ? NO_FIX : 'The message names the fix.'))} |`,
  );
  return ['| Code | Severity | It means | What to do |', '| --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}

/** The table of docs/hosting.md. */
function limitsTable(): string {
  const rows = HOSTS.flatMap(({ name, plans, source, asOf }) =>
    plans.map(({ name: plan, ...limits }) => {
      const texts = Object.entries(limits).map(([limit, value]) =>
        limitText(limit as keyof Limits, value),
      );
      return `| ${name}, ${plan} | ${texts.join(', ') || 'none'} | [${asOf}](${source}) |`;
    }),
  );
  return ['| Host, plan | Limits | As of |', '| --- | --- | --- |', ...rows].join('\n');
}

/** A document with new content between `<!-- NAME -->` and `<!-- /NAME -->`. */
export function withSection(document: string, name: string, content: string): string {
  const start = `<!-- ${name} -->`;
  const end = `<!-- /${name} -->`;
  const from = document.indexOf(start);
  const to = document.indexOf(end);
  if (from < 0 || to < from) throw new Error(`There is no section ${name}`);
  return `${document.slice(0, from + start.length)}\n\n${content}\n\n${document.slice(to)}`;
}

/** Generated sections of documents. */
export const GENERATED_SECTIONS = [
  { file: 'docs/hosting.md', name: 'limits', content: limitsTable },
  { file: 'docs/errors.md', name: 'findings', content: findingsTable },
  { file: 'docs/errors.md', name: 'errors', content: errorReference },
  {
    file: 'docs/commands.md',
    name: 'commands',
    content: () => commandReference(COMMANDS.commands, NPM),
  },
  { file: 'docs/configuration.md', name: 'settings', content: configReference },
  { file: 'docs/view-models.md', name: 'models', content: viewModelReference },
] as const;
