import { describe, expect, it } from 'vitest';
import { closest } from '../../../src/lib/closest.ts';
import { defineCommand, defineOptions } from '../../../src/lib/command-line/definition.ts';
import { parseWith } from '../../support/parse-with.ts';
import { failureOf } from '../../support/thrown.ts';

const OPTIONS = defineOptions({
  output: { type: 'path', value: 'DIR', default: '_site', help: 'a folder' },
  keep: { type: 'path', value: 'FILE', help: 'a file' },
  port: { type: 'number', value: 'N', default: 8080, least: 1, most: 65_535, help: 'a port' },
  count: { type: 'number', value: 'N', help: 'a number' },
  format: {
    type: 'string',
    value: 'F',
    choices: ['csv', 'ndjson'],
    default: 'csv',
    help: 'a form',
  },
  dealer: { type: 'string', value: 'ID', multiple: true, help: 'a dealer' },
  now: { type: 'time', value: 'TIME', help: 'a moment' },
  quiet: { type: 'boolean', help: 'fewer words' },
});

const command = defineCommand({
  name: 'make',
  summary: 'make',
  description: 'Makes.',
  options: OPTIONS,
  positionals: { name: 'DIR', help: 'folders', most: 2 },
  load: async () => ({ run: async () => 0 }),
});

const read = (...args: string[]) => parseWith(command, args, '/srv/folder');

async function refusal(...args: string[]) {
  const { code, message, why, fix, exitCode } = await failureOf(read(...args));
  expect(exitCode).toBe(2);
  return { code, what: message, why, fix };
}

describe('arguments', () => {
  it('have the types of their options, and defaults', async () => {
    expect(await read()).toEqual({
      values: {
        output: '/srv/folder/_site',
        keep: undefined,
        port: 8080,
        count: undefined,
        format: 'csv',
        dealer: [],
        now: undefined,
        quiet: false,
        debug: false,
      },
      positionals: [],
      given: new Set(),
    });
  });

  it('are accepted in every form', async () => {
    const args = ['--output', '../x', '--port=1', 'a', '--dealer', '1', '--quiet'];
    const more = ['--dealer=-2', '--now', '2026-03-02T02:00:00Z', '--format', 'ndjson', 'b'];
    const { values, positionals, given } = await read(...args, ...more);
    expect(values).toMatchObject({ output: '/srv/x', port: 1, dealer: ['1', '-2'], quiet: true });
    expect(values).toMatchObject({ format: 'ndjson', now: Date.UTC(2026, 2, 2, 2) });
    expect(positionals).toEqual(['a', 'b']);
    expect([...given].sort()).toEqual(['dealer', 'format', 'now', 'output', 'port', 'quiet']);
  });

  it('end at two hyphens; one hyphen is a value', async () => {
    expect(await read('--', '--quiet')).toMatchObject({
      positionals: ['--quiet'],
      values: { quiet: false },
    });
    expect((await read('--dealer', '-')).values.dealer).toEqual(['-']);
  });

  it('use the last value if repeated', async () => {
    expect((await read('--port', '1', '--port', '2')).values.port).toBe(2);
  });
});

describe('a wrong argument is reported', () => {
  it.each([
    [['--quite'], 'There is no option --quite.', 'Did you mean --quiet?'],
    [['--outptu'], 'There is no option --outptu.', 'Did you mean --output?'],
    [['--zzz'], 'There is no option --zzz.', '--help'],
    [['-x'], 'There is no option -x.', '--help'],
    [['--jane@mail.example'], 'One of the options is unknown.', '--help'],
    [['--toString'], 'There is no option --toString.', '--help'],
    [['--port'], '--port has no value.'],
    [['--port', '--quiet'], '--port has no value.'],
    [['--quiet=yes'], '--quiet takes no value.'],
    [['a', 'b', 'c'], 'There are too many arguments.'],
  ])('%j', async (args, what, fix = '') => {
    const error = await refusal(...args);
    expect(error).toMatchObject({ code: 'argument-unknown', what });
    expect(error.fix).toContain(fix);
  });

  it.each([
    [['--port', '0'], 'argument-invalid', 'from 1 to 65535'],
    [['--port', '65536'], 'argument-invalid', 'from 1 to 65535'],
    [['--port', '1.5'], 'argument-invalid', 'whole number'],
    [['--port='], 'argument-invalid', 'whole number'],
    [['--count', 'many'], 'argument-invalid', 'whole number'],
    [['--now', 'soon'], 'argument-invalid', 'ISO 8601'],
    [['--format', 'cvs'], 'argument-invalid', 'Use one of: csv, ndjson. Did you mean csv?'],
    [['--format', 'secret-word'], 'argument-invalid', 'Use one of: csv, ndjson.'],
  ])('%j', async (args, code, fix) => {
    const error = await refusal(...args);
    expect(error.code).toBe(code);
    expect(error.fix).toContain(fix);
    expect(JSON.stringify(error)).not.toContain('secret-word');
  });

  it('if its value is missing, unless another name is misspelled', async () => {
    const needed = defineCommand({
      ...command,
      options: { format: { ...OPTIONS.format, default: undefined, required: true } } as never,
    });
    await expect(parseWith(needed, [], '/')).rejects.toThrow('--format is missing.');
    const misspelled = parseWith(needed, ['--fromat', 'csv'], '/');
    await expect(misspelled).rejects.toMatchObject({ fix: expect.stringContaining('--format?') });
  });
});

it.each([
  ['dry-rnu', 'dry-run'],
  ['dryrun', 'dry-run'],
  ['Config', 'config'],
  ['fro', 'from-published'],
  ['confg', 'config'],
  ['x', undefined],
  ['elephant', undefined],
  ['', undefined],
])('the closest known name to %s is %s', (word, meant) => {
  expect(closest(word, ['config', 'dry-run', 'from-published', 'quiet'])).toBe(meant);
});
