import path from 'node:path';
import { z } from 'zod';
import { readHashKey } from '../../config/environment.ts';
import { EXIT } from '../../errors.ts';
import type { Args, Io, Run } from '../../lib/command-line/definition.ts';
import { checkLocalPath, wrongValue } from '../../lib/command-line/wrong-argument.ts';
import { exportBatches } from '../export/export.ts';
import { checkedOutput, defaultOutput, loadFormat } from '../export/formats.ts';
import { basesOf, checkKnownAccount, existingStore, guarded, print } from './history.ts';
import { exportLines } from './messages.ts';
import type { EXPORT_OPTIONS } from './options.ts';

type Values = Args<typeof EXPORT_OPTIONS>['values'];

const momentSchema = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/** `last`, or a moment as ISO 8601 in UTC; a day alone means its midnight in UTC. */
function sinceOf(text: string | undefined): string | undefined {
  if (text === undefined || text === 'last') return text;
  const time = momentSchema.safeParse(text).success ? Date.parse(text) : Number.NaN;
  if (time > Date.now()) {
    throw wrongValue('since', 'It lies in the future.', 'Name a moment that has passed.');
  }
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw wrongValue(
    'since',
    'It is neither "last" nor a moment.',
    'Use "last", a day such as 2026-03-01, or a moment such as 2026-03-01T06:00:00Z.',
  );
}

/** The file that an export is written to; undefined for standard output. */
async function fileOf(values: Values, { cwd, stdout }: Io): Promise<string | undefined> {
  const { output, format } = values;
  if (output === undefined) return path.join(cwd, defaultOutput(values, new Date()));
  if (output !== '-') {
    checkLocalPath('output', output);
    return path.resolve(cwd, checkedOutput(output, format));
  }
  if (!stdout.isTTY || !(await loadFormat(format)).binary) return undefined;
  throw wrongValue('output', 'This format is not text.', 'Give --output FILE, or pipe it.');
}

export const run: Run<typeof EXPORT_OPTIONS> = guarded(
  async ({ values }, io) => {
    const { format, profile, pii: mode, account, history, erasures, stream, force } = values;
    const since = sinceOf(values.since);
    const callingCode = values['calling-code']?.toString();
    if (stream !== undefined && values.since !== 'last') {
      throw wrongValue('stream', 'It has no effect without --since last.', 'Add --since last.');
    }
    if (erasures && history) {
      throw wrongValue('erasures', 'It cannot be combined with --history.', 'Leave one out.');
    }
    const file = await fileOf(values, io);
    using store = await existingStore(values, io);
    checkKnownAccount(account, store);
    const hashKey = mode === 'hash' ? readHashKey(io.env) : undefined;
    const result = await exportBatches({
      store,
      format,
      profile,
      personal: { mode, hashKey, callingCode },
      since,
      account,
      rows: erasures ? 'erasures' : history ? 'history' : 'now',
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
