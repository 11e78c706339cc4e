import { text as readAll } from 'node:stream/consumers';
import { readHashKey } from '../../config/environment.ts';
import { AttentionError, EXIT } from '../../errors.ts';
import type { Io, Run } from '../../lib/command-line/definition.ts';
import { wrongValue } from '../../lib/command-line/wrong-argument.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { type ForgetResult, forget } from '../forget.ts';
import { dropErasedMarks } from '../store/erased-persons.ts';
import { existingStore, guarded, summarise } from './history.ts';
import { erasureLines } from './messages.ts';
import type { FORGET_OPTIONS } from './options.ts';

const VALUES = ['email', 'mobile', 'sender', 'batch'] as const;
type Input = Record<(typeof VALUES)[number], string[]>;

/** Replaces the value `-` of an option by the lines of standard input. */
async function withInput(values: Input, { stdin }: Io): Promise<Input> {
  const [name, second] = VALUES.filter((option) => values[option].includes('-'));
  if (name === undefined) return values;
  if (second !== undefined) {
    throw wrongValue(second, 'Two options read standard input.', 'Use - for one.');
  }
  const text = await readAll(stdin);
  const lines = text.split(/[\r\n]/).flatMap((line) => line.trim() || []);
  if (lines.length === 0) {
    throw wrongValue(
      name,
      'Standard input was empty. Nothing was erased.',
      'Write one value per line to standard input, or leave this option out.',
    );
  }
  return { ...values, [name]: [...values[name].filter((value) => value !== '-'), ...lines] };
}

/** @throws {AttentionError} a value matched nothing. If it is misspelled, the person is still stored. */
function refuseUnmatched({ unmatched, remembered }: ForgetResult, valueCount: number): void {
  if (unmatched.length === 0) return;
  const list = unmatched.map(({ option, position }) => `--${option} number ${position}`).join(', ');
  throw new AttentionError({
    code: 'forget-no-match',
    what: `Nothing in the history matches ${unmatched.length} of ${valueCount} values: ${list}.`,
    why: 'The value is misspelled, was never stored, or was already erased. It is not repeated here, because logs store messages.',
    fix: `Check the spelling of these values.${remembered ? ' If it is right, nothing is left to do: later pulls recognise the person.' : ''}`,
  });
}

export const run: Run<typeof FORGET_OPTIONS> = guarded(async ({ values }, io) => {
  const { account, 'drop-marks': drop, 'dry-run': dryRun } = values;
  const { email: emails, mobile: mobiles, sender: senders, batch } = await withInput(values, io);
  const batchIds = batch.map((id) => {
    if (/^-?\d{1,15}$/.test(id)) return Number(id);
    throw wrongValue('batch', 'A BatchId is a whole number.', 'Use only digits.');
  });
  const valueCount = [emails, mobiles, senders, batchIds].flat().length;
  if (valueCount === 0 && !drop) {
    throw wrongValue(
      'email',
      'No person or batch was named.',
      'Give --email, --mobile, --sender or --batch.',
    );
  }
  if (account !== undefined && batchIds.length === 0) {
    throw wrongValue(
      'account',
      'It restricts only --batch. A person is erased in every account.',
      'Leave --account out, or add --batch.',
    );
  }
  if (drop && dryRun) {
    throw wrongValue('dry-run', 'It shows nothing about --drop-marks.', 'Leave one out.');
  }
  using store = existingStore(values, io);
  if (drop) {
    summarise(values, io.stdout, [
      `${countText(dropErasedMarks(store.db), 'hash', 'hashes')} of erased people removed`,
    ]);
  }
  if (valueCount === 0) return EXIT.published;
  const target = { emails, mobiles, senders, batchIds, account };
  const result = forget(store, target, { hashKey: readHashKey(io.env), dryRun });
  summarise(values, io.stdout, erasureLines(result, { dryRun }));
  refuseUnmatched(result, valueCount);
  return EXIT.published;
});
