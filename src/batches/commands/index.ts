import { type CommandGroup, defineCommand } from '../../lib/command-line/definition.ts';
import {
  DRIFT_OPTIONS,
  EXPORT_OPTIONS,
  FORGET_OPTIONS,
  PRUNE_OPTIONS,
  PULL_OPTIONS,
  REPORT_OPTIONS,
  STATUS_OPTIONS,
  TAP_OPTIONS,
} from './options.ts';

/** The commands of the history of sent videos. */
export const batches: CommandGroup = {
  name: 'batches',
  summary: 'keep the history of sent videos',
  description: 'Keeps the history of sent videos, for a CRM and for reporting.',
  commands: [
    defineCommand({
      name: 'pull',
      summary: 'read the batches of each account into the history',
      description: 'Reads the batches of each configured account into the history.',
      options: PULL_OPTIONS,
      notes: [
        'The key of each account comes from the environment variable that its apiKeyEnv names.',
      ],
      examples: [{ args: '--account northgate --days 90', does: 'ask one account for 90 days' }],
      load: () => import('./pull.ts'),
    }),
    defineCommand({
      name: 'export',
      summary: 'write the history or its changes for a CRM or a warehouse',
      description:
        'Writes the history, or its changes, to a private file or a pipe. Messages go to standard error.',
      options: EXPORT_OPTIONS,
      silent: true,
      notes: ['--pii hash needs the environment variable BATCH_HASH_KEY.'],
      examples: [
        {
          args: '--format csv --profile hubspot --pii full --since last',
          does: 'write the changes since the last export, for HubSpot',
        },
      ],
      load: () => import('./export.ts'),
    }),
    defineCommand({
      name: 'tap',
      summary: 'act as a Singer tap for Meltano',
      description:
        'Writes Singer messages to standard output: changes and erasures after the given state. Other messages go to standard error.',
      options: TAP_OPTIONS,
      silent: true,
      notes: ['The setting pii: hash needs the environment variable BATCH_HASH_KEY.'],
      examples: [{ args: '--discover', does: 'print the catalog' }],
      load: () => import('./tap.ts'),
    }),
    defineCommand({
      name: 'report',
      summary: 'write a page of charts and tables',
      description: 'Writes a page of charts and tables: totals only, no recipient.',
      options: REPORT_OPTIONS,
      load: () => import('./report.ts'),
    }),
    defineCommand({
      name: 'status',
      summary: 'show the state of the history',
      description: 'Shows accounts, last pull, rows, versions, holes and drift.',
      options: STATUS_OPTIONS,
      load: () => import('./status.ts'),
    }),
    defineCommand({
      name: 'drift',
      summary: 'show changes of the service, and acknowledge them',
      description: 'Shows unexpected changes of the service that were not acknowledged.',
      options: DRIFT_OPTIONS,
      examples: [{ args: '--seen', does: 'show it and acknowledge it' }],
      load: () => import('./drift.ts'),
    }),
    defineCommand({
      name: 'forget',
      summary: 'erase a person',
      description:
        'Erases people from rows, versions and raw records. Each option may be repeated. The value - reads values from standard input, one per line, so that no process list and no log contains them.',
      options: FORGET_OPTIONS,
      silent: true,
      notes: ['--email, --mobile and --sender need the environment variable BATCH_HASH_KEY.'],
      examples: [{ args: '--email -', does: 'erase the addresses on standard input' }],
      load: () => import('./forget.ts'),
    }),
    defineCommand({
      name: 'prune',
      summary: 'erase the recipients of old batches',
      description:
        'Erases the recipients of all batches that are older than an age. Senders, counts and times stay.',
      options: PRUNE_OPTIONS,
      examples: [{ args: '--older-than 24m --dry-run', does: 'show what would be erased' }],
      load: () => import('./prune.ts'),
    }),
  ],
  member: { name: 'command', code: 'command-unknown' },
};
