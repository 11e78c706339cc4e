import { readHashKey } from '../../config/environment.ts';
import { EXIT } from '../../errors.ts';
import type { Args, Io, Run } from '../../lib/command-line/definition.ts';
import { wrongValue } from '../../lib/command-line/wrong-argument.ts';
import { exportBatches } from '../export/export.ts';
import { loadFormat } from '../export/format.ts';
import { checkedOutput, defaultOutput } from '../export/place.ts';
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

/** The file that an export is written to; undefined for standard output. */
async function fileOf(values: Values, io: Io): Promise<string | undefined> {
  const { output, format } = values;
  if (output === undefined) return fromHere(io, defaultOutput(values, new Date()), 'output');
  if (output !== '-') return checkedOutput(fromHere(io, output, 'output'), format);
  if (!io.stdout.isTTY || !(await loadFormat(format)).binary) return undefined;
  throw wrongValue('output', 'This format is not text.', 'Give --output FILE, or pipe it.');
}

export const run: Run<typeof EXPORT_OPTIONS> = guarded(
  async ({ values }, io) => {
    const { format, profile, pii: mode, account, history, stream, force } = values;
    const since = sinceOf(values.since);
    const callingCode = values['calling-code']?.toString();
    if (stream !== undefined && values.since !== 'last') {
      throw wrongValue('stream', 'It has no effect without --since last.', 'Add --since last.');
    }
    const file = await fileOf(values, io);
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
      to: file === undefined ? { writable: io.stdout } : { file },
      bases: basesOf(values, io),
      force,
    });
    print(io.stderr, exportLines(result));
    return EXIT.published;
  },
  { writesData: true },
);
