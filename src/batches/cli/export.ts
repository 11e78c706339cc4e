import { readHashKey, runsInCi } from '../../config/load.ts';
import { ConfigError, EXIT } from '../../errors.ts';
import { exportBatches } from '../export/export.ts';
import { FORMAT_NAMES } from '../export/format.ts';
import { loadFormat } from '../export/formats.ts';
import { PII_MODES } from '../export/personal.ts';
import { PROFILE_NAMES } from '../export/profiles.ts';
import { type Command, namesIn, say, type Terminal } from './command.ts';
import {
  basesOf,
  checkAccount,
  existingStore,
  oneOf,
  optionalConfig,
  sinceOf,
  textOf,
  type Values,
  wholeNumber,
  wrongArgument,
} from './options.ts';
import { exportLines } from './tell.ts';

function refuseLog(values: Values, binary: boolean, { stdout }: Terminal): void {
  if (binary && stdout.isTTY) {
    throw wrongArgument('output', 'This format is not text.', 'Give --output FILE, or pipe it.');
  }
  if (textOf(values, 'output') === '-' || values.pii === 'none' || !runsInCi()) return;
  throw new ConfigError({
    code: 'export-into-log',
    what: 'Personal data would go to standard output in continuous integration.',
    why: 'Standard output is kept there as a log that many can read (CI is set).',
    fix: 'Give --output FILE; or --output - where standard output is piped into another program.',
  });
}

export const exportCommand: Command = {
  options: {
    format: { type: 'string' },
    profile: { type: 'string', default: 'generic' },
    since: { type: 'string' },
    pii: { type: 'string', default: 'none' },
    output: { type: 'string' },
    account: { type: 'string' },
    history: { type: 'boolean', default: false },
    stream: { type: 'string' },
    'calling-code': { type: 'string' },
    force: { type: 'boolean', default: false },
  },
  async run(values, terminal) {
    const format = oneOf(values, 'format', FORMAT_NAMES);
    const profile = oneOf(values, 'profile', PROFILE_NAMES);
    const mode = oneOf(values, 'pii', PII_MODES);
    const since = sinceOf(values);
    const callingCode = wholeNumber(values, 'calling-code', [1, 999])?.toString();
    const output = textOf(values, 'output');
    const toFile = output !== undefined && output !== '-';
    if (!toFile) refuseLog(values, (await loadFormat(format)).binary, terminal);
    await optionalConfig(values);
    using store = existingStore(values);
    say(terminal.stderr, store.notes);
    const account = textOf(values, 'account');
    checkAccount(account, namesIn(store));
    const result = await exportBatches({
      store,
      format,
      profile,
      personal: { mode, hashKey: mode === 'hash' ? readHashKey() : undefined, callingCode },
      since,
      account,
      history: values.history === true,
      stream: textOf(values, 'stream'),
      to: toFile ? { file: output } : { writable: terminal.stdout },
      bases: basesOf(values),
      force: values.force === true,
    });
    say(terminal.stderr, exportLines(result));
    return EXIT.published;
  },
};
