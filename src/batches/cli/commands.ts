import { text as readAll } from 'node:stream/consumers';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { readHashKey, runsInCi } from '../../config/environment.ts';
import {
  AppError,
  ConfigError,
  describeError,
  EXIT,
  type ExitCode,
  HoleError,
} from '../../errors.ts';
import { exportBatches } from '../export/export.ts';
import { FORMAT_NAMES, loadFormat } from '../export/format.ts';
import { PII_MODES } from '../export/personal.ts';
import { PROFILE_NAMES } from '../export/profiles.ts';
import { forget } from '../forget.ts';
import { pullAccount } from '../pull/pull.ts';
import { DEFAULT_REPORT, writeReport } from '../report/report.ts';
import { statusOf } from '../status.ts';
import { dropErasedMarks } from '../store/erased-persons.ts';
import { openStore, type Store, storeExists, tellSqlite } from '../store/open.ts';
import { tellSystem } from '../store/system-errors.ts';
import {
  basesOf,
  COMMON,
  checkAccount,
  existingStore,
  oneOf,
  optionalConfig,
  pullConfig,
  sinceOf,
  storeFile,
  textOf,
  textsOf,
  type Values,
  wholeNumber,
  wrongArgument,
} from './options.ts';
import { exportLines, forgetLines, pullLines, statusLines } from './tell.ts';

/** Where a command reads and writes; a test gives its own. */
export interface Terminal {
  stdin: NodeJS.ReadableStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

interface Command {
  options: ParseArgsOptionsConfig;
  run(values: Values, terminal: Terminal): Promise<ExitCode>;
}

const say = (stream: NodeJS.WritableStream, lines: readonly string[]): void => {
  for (const line of lines) stream.write(`${line}\n`);
};

/** An error in words: nothing of a record can stand in it, whatever went wrong. */
export function tellError(error: unknown, file: string, { debug }: { debug: boolean }): AppError {
  const told = error instanceof AppError ? error : (tellSqlite(error, file) ?? tellSystem(error));
  if (told) return told;
  const name = error instanceof Error ? error.name : typeof error;
  const frames = error instanceof Error ? (error.stack?.match(/^ {4}at .*$/gm) ?? []) : [];
  return new AppError({
    code: 'internal',
    what: `A fault of this program: ${name}.`,
    why: `${
      frames
        .slice(0, debug ? 20 : 1)
        .join('\n')
        .trim() || 'No place is known.'
    }`,
    fix: 'Nothing was stored by the step that failed. Please report it, with --debug.',
  });
}

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

const namesIn = (store: Store): string[] =>
  store.db
    .prepare('SELECT name FROM account')
    .all()
    .map(({ name }) => String(name));

const pull: Command = {
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
    const hashKey = readHashKey();
    const codes: ExitCode[] = [];
    for (const entry of config.accounts) {
      if (account !== undefined && entry.name !== account) continue;
      try {
        const result = await pullAccount({
          store,
          service: config.service,
          account: entry,
          days,
          dryRun,
          hashKey,
        });
        say(stdout, pullLines(result, dryRun));
        if (result.holes.length === 0) continue;
        throw new HoleError({
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

const exportCommand: Command = {
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
    });
    say(terminal.stderr, exportLines(result));
    return EXIT.published;
  },
};

const report: Command = {
  options: { output: { type: 'string', default: DEFAULT_REPORT }, account: { type: 'string' } },
  async run(values, { stdout, stderr }) {
    await optionalConfig(values);
    using store = existingStore(values);
    say(stderr, store.notes);
    const account = textOf(values, 'account');
    checkAccount(account, namesIn(store));
    const folder = textOf(values, 'output') ?? DEFAULT_REPORT;
    say(stdout, [await writeReport(store, { folder, account, bases: basesOf(values) })]);
    return EXIT.published;
  },
};

const status: Command = {
  options: { json: { type: 'boolean', default: false } },
  async run(values, { stdout, stderr }) {
    const config = await optionalConfig(values);
    const configured = config?.accounts.map(({ name }) => name) ?? [];
    const file = storeFile(values);
    // Looking must not make a history where there is none.
    using store = openStore({ file, bases: basesOf(values), inMemory: !storeExists(file) });
    say(stderr, store.notes);
    const found = statusOf(store.db);
    say(stdout, values.json ? [JSON.stringify(found, null, 2)] : statusLines(found, configured));
    return EXIT.published;
  },
};

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

const forgetCommand: Command = {
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
