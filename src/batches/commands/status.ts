import { existsSync } from 'node:fs';
import { configFile } from '../../config/environment.ts';
import { millisecondsOf } from '../../config/forms.ts';
import { loadHistoryConfig } from '../../config/load.ts';
import { EXIT } from '../../errors.ts';
import type { Run } from '../../lib/command-line/definition.ts';
import { wrongValue } from '../../lib/command-line/wrong-argument.ts';
import { checkHistory } from '../store/check.ts';
import { damaged, openStore, storeExists } from '../store/open.ts';
import { refuseStale, statusOf } from '../store/status.ts';
import { basesOf, guarded, missing, print } from './history.ts';
import { checkLines, statusLines } from './messages.ts';
import type { STATUS_OPTIONS } from './options.ts';

function ageOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const age = millisecondsOf(text);
  if (age) return age;
  throw wrongValue(
    'fail-older-than',
    'It is not a length of time.',
    'Write a number with a unit, such as 26h or 3d.',
  );
}

export const run: Run<typeof STATUS_OPTIONS> = guarded(async ({ values }, io) => {
  const { env, stdout, stderr } = io;
  const maxAge = ageOf(values['fail-older-than']);
  const { store: file } = values;
  const config = configFile(values, io);
  // A check of the file, such as before a backup, needs no accounts, so no mistake in the configuration stops it.
  const needsAccounts = maxAge !== undefined || !values.check;
  const isConfigured = needsAccounts && (values.config !== undefined || existsSync(config));
  const { accounts } = isConfigured
    ? await loadHistoryConfig({ file: config, env })
    : { accounts: [] };
  const configured = accounts.map(({ name }) => name);
  // `status` must not create a history. A check of a wrong path must not pass.
  const isThere = storeExists(file);
  if (!isThere && values.check) throw missing(file);
  using store = openStore({ file, bases: basesOf(values, io), inMemory: !isThere });
  print(stderr, store.notes);
  if (!isThere) print(stderr, [`There is no history at ${file} yet. The first pull creates it.`]);
  const status = statusOf(store.db, configured);
  // A backup is a copy of the file only. On a full disk, its newest data stays in the log.
  if (values.check) store.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const check = values.check ? checkHistory(store.db) : undefined;
  print(
    stdout,
    values.json
      ? [JSON.stringify({ ...status, ...(check && { check }) }, null, 2)]
      : [...statusLines(status), ...(check ? checkLines(check) : [])],
  );
  if (check && check.damage.length > 0) {
    throw damaged(store.file, 'Some rows are altered or missing. They are listed above.');
  }
  if (maxAge !== undefined) refuseStale(status, configured, { maxAge, now: Date.now() });
  return EXIT.published;
});
