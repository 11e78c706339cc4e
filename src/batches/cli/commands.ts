import { parseArgs } from 'node:util';
import { ConfigError, EXIT } from '../../errors.ts';
import { DEFAULT_REPORT, writeReport } from '../report/report.ts';
import { statusOf } from '../status.ts';
import { checkHistory } from '../store/check.ts';
import { storeExists } from '../store/identity.ts';
import { damaged, openStore } from '../store/open.ts';
import { type Command, namesIn, say } from './command.ts';
import { exportCommand } from './export.ts';
import { forgetCommand } from './forget.ts';
import {
  basesOf,
  COMMON,
  checkAccount,
  existingStore,
  optionalConfig,
  storeFile,
  textOf,
  type Values,
} from './options.ts';
import { pull } from './pull.ts';
import { checkLines, statusLines } from './tell.ts';

const report: Command = {
  options: {
    output: { type: 'string', default: DEFAULT_REPORT },
    account: { type: 'string' },
    force: { type: 'boolean', default: false },
  },
  async run(values, { stdout, stderr }) {
    await optionalConfig(values);
    using store = existingStore(values);
    say(stderr, store.notes);
    const account = textOf(values, 'account');
    checkAccount(account, namesIn(store));
    const folder = textOf(values, 'output') ?? DEFAULT_REPORT;
    const force = values.force === true;
    say(stdout, [await writeReport(store, { folder, account, bases: basesOf(values), force })]);
    return EXIT.published;
  },
};

const status: Command = {
  options: {
    json: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
  async run(values, { stdout, stderr }) {
    const config = await optionalConfig(values);
    const configured = config?.accounts.map(({ name }) => name) ?? [];
    const file = storeFile(values);
    // Looking must not make a history where there is none.
    const isThere = storeExists(file);
    using store = openStore({ file, bases: basesOf(values), inMemory: !isThere });
    say(stderr, store.notes);
    if (!isThere) say(stderr, [`There is no history at ${file} yet; the first pull begins one.`]);
    const found = statusOf(store.db);
    const check = values.check === true ? checkHistory(store.db) : undefined;
    say(
      stdout,
      values.json
        ? [JSON.stringify({ ...found, ...(check && { check }) }, null, 2)]
        : [...statusLines(found, configured), ...(check ? checkLines(check) : [])],
    );
    if (check === undefined || check.damage.length === 0) return EXIT.published;
    throw damaged(store.file, 'Rows of it do not hold what was written; they are named above.');
  },
};

/** Every command by its name. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  pull,
  export: exportCommand,
  report,
  status,
  forget: forgetCommand,
};

/** Options of a command as they were given; Node's words for a wrong one hold no value. */
export function readValues({ options }: Command, args: readonly string[]): Values {
  try {
    return parseArgs({ args: [...args], options: { ...COMMON, ...options }, strict: true }).values;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    throw new ConfigError({
      code: 'argument-unknown',
      what: 'An option of the command cannot be used.',
      why: code.includes('POSITIONAL')
        ? 'A value stands without an option before it.'
        : 'It is not known, or its value is missing.',
      fix: 'Add --help to see the options. A value that begins with - is given as --name=-value.',
    });
  }
}
