import { text as readAll } from 'node:stream/consumers';
import { readHashKey } from '../../config/load.ts';
import { EXIT } from '../../errors.ts';
import { forget } from '../forget.ts';
import { dropErasedMarks } from '../store/erased-persons.ts';
import { type Command, namesIn, say, type Terminal } from './command.ts';
import {
  checkAccount,
  existingStore,
  optionalConfig,
  textOf,
  textsOf,
  type Values,
  wrongArgument,
} from './options.ts';
import { forgetLines } from './tell.ts';

async function resolveInput(
  values: Values,
  names: readonly string[],
  { stdin }: Terminal,
): Promise<Map<string, string[]>> {
  const given = new Map(names.map((name) => [name, textsOf(values, name)]));
  const asking = names.filter((name) => given.get(name)?.includes('-'));
  if (asking.length === 0) return given;
  if (asking.length > 1) {
    throw wrongArgument(asking[1] ?? '', 'Two options read standard input.', 'Use - for one.');
  }
  const lines = (await readAll(stdin)).split(/\r?\n/).map((line) => line.trim());
  const [name = ''] = asking;
  const rest = given.get(name)?.filter((value) => value !== '-') ?? [];
  return given.set(name, [...rest, ...lines.filter((line) => line !== '')]);
}

export const forgetCommand: Command = {
  options: {
    email: { type: 'string', multiple: true },
    mobile: { type: 'string', multiple: true },
    batch: { type: 'string', multiple: true },
    account: { type: 'string' },
    'drop-marks': { type: 'boolean', default: false },
  },
  async run(values, terminal) {
    const given = await resolveInput(values, ['email', 'mobile', 'batch'], terminal);
    const [emails = [], mobiles = [], ids = []] = given.values();
    const batchIds = ids.map((id) => {
      if (/^-?\d{1,15}$/.test(id)) return Number(id);
      throw wrongArgument('batch', 'A BatchId is a whole number.', 'Give its digits alone.');
    });
    const drop = values['drop-marks'] === true;
    if (emails.length + mobiles.length + batchIds.length === 0 && !drop) {
      throw wrongArgument('email', 'Nobody was named.', 'Give --email, --mobile or --batch.');
    }
    await optionalConfig(values);
    using store = existingStore(values);
    say(terminal.stderr, store.notes);
    const account = textOf(values, 'account');
    checkAccount(account, namesIn(store));
    if (drop)
      say(terminal.stdout, [`${dropErasedMarks(store.db)} marks of erased persons dropped`]);
    if (emails.length + mobiles.length + batchIds.length === 0) return EXIT.published;
    const target = { emails, mobiles, batchIds, account };
    say(terminal.stdout, forgetLines(forget(store, target, { hashKey: readHashKey() })));
    return EXIT.published;
  },
};
