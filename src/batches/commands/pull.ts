import { configFile, readHashKey } from '../../config/environment.ts';
import { loadHistoryConfig } from '../../config/load.ts';
import { withoutSecrets } from '../../config/secret-search.ts';
import { describeError, type ExitCode, GapError, worst } from '../../errors.ts';
import type { Run } from '../../lib/command-line/definition.ts';
import { pullAccount } from '../pull/pull.ts';
import { recordPull } from '../store/accounts.ts';
import { openStore, storeExists } from '../store/open.ts';
import { basesOf, checkAccount, explainError, guarded, print, summarise } from './history.ts';
import { pullLines, pullWarnings } from './messages.ts';
import type { PULL_OPTIONS } from './options.ts';

export const run: Run<typeof PULL_OPTIONS> = guarded(async ({ values }, io) => {
  const { stdout, stderr, env, signal } = io;
  const { account, days, 'dry-run': dryRun, debug, quiet } = values;
  const config = await loadHistoryConfig({
    file: configFile(values, io),
    keysFor: 'accounts',
    accounts: account === undefined ? undefined : [account],
    env,
  });
  checkAccount(
    account,
    config.accounts.map(({ name }) => name),
  );
  const file = values.store;
  const inMemory = dryRun && !storeExists(file);
  using store = openStore({ file, bases: basesOf(values, io), inMemory });
  print(stderr, store.notes);
  if (store.begun) {
    // In a scheduled pull, this is a warning: the disk may be lost.
    print(quiet ? stderr : stdout, [
      `created a new history: ${store.file}. If you had one, restore its backup: only it recognises erased people`,
    ]);
  }
  const hashKey = readHashKey(env);
  const codes: ExitCode[] = [];
  const messages = new Set<string>();
  const keys = config.accounts.map(({ apiKey }) => apiKey);
  for (const entry of config.accounts) {
    if (account !== undefined && entry.name !== account) continue;
    signal.throwIfAborted();
    const at = new Date().toISOString();
    try {
      // A large response takes seconds.
      summarise(values, stdout, [`${entry.name}: asking the service for its batches`]);
      const result = await pullAccount({
        store,
        service: config.service,
        account: entry,
        days,
        dryRun,
        hashKey,
        signal,
        waiting: () =>
          summarise(values, stdout, ['another pull of this history is running: waiting for it']),
      });
      summarise(values, stdout, pullLines(result, dryRun));
      print(quiet ? stderr : stdout, pullWarnings(result));
      if (result.holes.length === 0) continue;
      throw new GapError({
        code: 'batches-hole',
        what: `The history of account "${entry.name}" has a new hole.`,
        why: 'Pulls were missed, or the service returned fewer days than requested.',
        fix: 'The received batches are stored. "status" shows the missing period. A pull with a larger --days fills it, if the service still has the batches.',
      });
    } catch (error) {
      // The account has not failed.
      signal.throwIfAborted();
      const appError = explainError(error, store.file, debug);
      // A pull that found a hole has stored its response.
      if (!dryRun && !(appError instanceof GapError)) {
        try {
          recordPull(store.db, entry.name, at, { failure: appError.code });
        } catch {
          // The error of the pull is more important.
        }
      }
      codes.push(appError.exitCode);
      // A message of the service can contain the key of another account.
      const message = withoutSecrets(describeError(appError, { debug }), keys);
      // An error of the history, such as a full disk, is the same for every account.
      if (!messages.has(message)) print(stderr, [message]);
      messages.add(message);
    }
  }
  return worst(codes);
});
