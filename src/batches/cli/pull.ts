import { readHashKey } from '../../config/load.ts';
import { describeError, EXIT, type ExitCode, GapError } from '../../errors.ts';
import { pullAccount } from '../pull/pull.ts';
import { storeExists } from '../store/identity.ts';
import { openStore } from '../store/open.ts';
import { type Command, say, tellError } from './command.ts';
import { basesOf, checkAccount, pullConfig, storeFile, textOf, wholeNumber } from './options.ts';
import { pullLines } from './tell.ts';

/** The worst of several outcomes: what needs a person comes before what passes by itself. */
const BY_GRAVITY: readonly ExitCode[] = [
  EXIT.internal,
  EXIT.config,
  EXIT.secret,
  EXIT.refused,
  EXIT.gate,
  EXIT.unreachable,
  EXIT.hole,
];

const worst = (codes: readonly ExitCode[]): ExitCode =>
  BY_GRAVITY.find((code) => codes.includes(code)) ?? EXIT.published;

export const pull: Command = {
  options: {
    account: { type: 'string' },
    days: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
  },
  async run(values, { stdout, stderr }) {
    const account = textOf(values, 'account');
    const days = wholeNumber(values, 'days', [1, 36_500]);
    const dryRun = values['dry-run'] === true;
    const debug = values.debug === true;
    const config = await pullConfig(values, account);
    checkAccount(
      account,
      config.accounts.map(({ name }) => name),
    );
    const file = storeFile(values);
    using store = openStore({
      file,
      bases: basesOf(values),
      inMemory: dryRun && !storeExists(file),
    });
    say(stderr, store.notes);
    if (store.begun) say(stdout, [`a new history was begun: ${store.file}`]);
    const hashKey = readHashKey();
    const codes: ExitCode[] = [];
    for (const entry of config.accounts) {
      if (account !== undefined && entry.name !== account) continue;
      try {
        // A large answer takes seconds to come and to be stored: say what is waited for.
        say(stdout, [`${entry.name}: asking the service for its batches`]);
        const result = await pullAccount({
          store,
          service: config.service,
          account: entry,
          days,
          dryRun,
          hashKey,
          waiting: () => say(stdout, ['another pull of this history is running: waiting for it']),
        });
        say(stdout, pullLines(result, dryRun));
        if (result.holes.length === 0) continue;
        throw new GapError({
          code: 'batches-hole',
          what: `The history of account "${entry.name}" has a new hole.`,
          why: 'Pulls were missed, or the service answers for fewer days than it was asked for.',
          fix: 'What could be read is stored. "status" shows the stretch; a pull with a larger --days fills it, if the service still has it.',
        });
      } catch (error) {
        const told = tellError(error, store.file, { debug });
        codes.push(told.exitCode);
        say(stderr, [describeError(told, { debug })]);
      }
    }
    return worst(codes);
  },
};
