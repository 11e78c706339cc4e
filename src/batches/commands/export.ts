import { readHashKey, runsInCi } from '../../config/environment.ts';
import { ConfigError, EXIT } from '../../errors.ts';
import type { Args, Io, Run } from '../../lib/command-line/definition.ts';
import { wrongValue } from '../../lib/command-line/parse.ts';
import { exportBatches } from '../export/export.ts';
import { loadFormat } from '../export/formats.ts';
import { guarded } from './guard.ts';
import {
  basesOf,
  checkKnownAccount,
  existingStore,
  fromHere,
  optionalConfig,
  print,
  sinceOf,
} from './history.ts';
import { exportLines } from './messages.ts';
import type { EXPORT_OPTIONS } from './options.ts';

type Values = Args<typeof EXPORT_OPTIONS>['values'];

function refuseLog({ output, pii }: Values, binary: boolean, { stdout, env }: Io): void {
  if (binary && stdout.isTTY) {
    throw wrongValue('output', 'This format is not text.', 'Give --output FILE, or pipe it.');
  }
  if (output === '-' || pii === 'none' || !runsInCi(env)) return;
  throw new ConfigError({
    code: 'export-into-log',
    what: 'Personal data would go to standard output in continuous integration.',
    why: 'Standard output is kept there as a log that many can read (CI is set).',
    fix: 'Give --output FILE; or --output - where standard output is piped into another program.',
  });
}

export const run: Run<typeof EXPORT_OPTIONS> = guarded(
  async ({ values }, io) => {
    const { format, profile, pii: mode, account, output, history, stream, force } = values;
    const since = sinceOf(values.since);
    const callingCode = values['calling-code']?.toString();
    const toFile = output !== undefined && output !== '-';
    if (!toFile) refuseLog(values, (await loadFormat(format)).binary, io);
    await optionalConfig(values, io);
    using store = existingStore(values, io);
    checkKnownAccount(account, store);
    const hashKey = mode === 'hash' ? readHashKey(io.env) : undefined;
    const result = await exportBatches({
      store,
      format,
      profile,
      personal: { mode, hashKey, callingCode },
      since,
      account,
      history,
      stream,
      to: toFile ? { file: fromHere(io, output) } : { writable: io.stdout },
      bases: basesOf(values, io),
      force,
    });
    print(io.stderr, exportLines(result));
    return EXIT.published;
  },
  { writesData: true },
);
