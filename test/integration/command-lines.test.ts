import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../scripts/commands/index.ts';
import { type AnyDefinition, isGroup } from '../../src/lib/command-line/definition.ts';
import { type Ran, runCommand } from '../support/command.ts';
import { runHere } from '../support/run-here.ts';

/** Every command and group, by the words that call it. */
const callsOf = (definition: AnyDefinition, path: string[] = []): string[][] => [
  ...(path.length > 0 ? [path] : []),
  ...(isGroup(definition)
    ? definition.commands.flatMap((one) => callsOf(one, [...path, one.name]))
    : []),
];
const all = callsOf(COMMANDS).map((call) => [call.join(' '), call] as const);

/** Status of this checkout in git: a command that prints its help changes no file. */
async function state(): Promise<string> {
  const git = ['status', '--porcelain', '--', 'docs', 'package-lock.json', 'site.config.ts'];
  return (await promisify(execFile)('git', git)).stdout;
}

const before = await state();

function expectMistakeTold({ stdout, stderr, exitCode }: Ran) {
  expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(/^\S.* \[[a-z-]+\]$/m);
  expect(stderr).toMatch(/^ {2}Why: \S/m);
  expect(stderr).toMatch(/^ {2}Do: {2}\S/m);
  expect(stderr).not.toMatch(/^\s+at /m);
}

describe('every command', () => {
  it('is in the table of commands', () => {
    expect(all.length).toBeGreaterThanOrEqual(30);
    expect(all.map(([name]) => name)).toEqual(
      expect.arrayContaining(['start', 'init', 'build', 'batches', 'batches pull', 'bench media']),
    );
  });

  it.each(all)('%s --help lists its arguments', async (name, call) => {
    const ran = await runHere([...call, '--help']);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toContain(name === 'start' ? 'npm start' : 'npm run ');
    expect(ran.stdout).toContain(call.at(-1));
  });

  it.each(all)('%s refuses an unknown option', async (_, call) => {
    expectMistakeTold(await runHere([...call, '--nonsense']));
  });

  it.each(all)('%s refuses surplus arguments', async (_, call) => {
    expectMistakeTold(await runHere([...call, 'stray', 'words']));
  });

  it.each([
    ['start', ['--port', 'abc'], 'argument-invalid'],
    ['dev', ['--port', '70000'], 'argument-invalid'],
    ['service', ['--vehicles', 'many'], 'argument-invalid'],
    ['service', ['--now', 'soon'], 'argument-invalid'],
    ['worker', ['--metrics-port', '0'], 'argument-invalid'],
    ['chaos', ['--seeds', '-1'], 'argument-invalid'],
    ['chaos', ['--jobs', 'two'], 'argument-invalid'],
    ['build', ['--now', 'soon'], 'argument-invalid'],
    ['build', ['--for', 'soon'], 'argument-for'],
    ['build', ['--for', '0h'], 'argument-for'],
    ['build', ['--for', '5'], 'argument-for'],
    ['build', ['--for=-1h'], 'argument-for'],
    ['build', ['--whole', '--thin'], ''],
    ['deploy', ['--to', 'nowhere'], 'argument-invalid'],
    ['init', ['--host', 'ftp'], 'argument-invalid'],
    ['deploy', ['1234'], 'argument-unknown'],
  ])('%s refuses %j', async (name, args, code) => {
    const ran = await runHere([name, ...args]);
    expectMistakeTold(ran);
    expect(ran.stderr).toContain(`[${code}`);
  });
});

describe('in a separate process', () => {
  it('a command behaves the same', async () => {
    expect(await runCommand('batches', ['--help'])).toEqual(await runHere(['batches', '--help']));
  });
});

it('the commands above change nothing', async () => {
  expect(await state()).toBe(before);
});
