import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../support/command.ts';

const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
  scripts: Record<string, string>;
};

/** Every script of package.json that is a file of ours: its name, and the file's. */
const commands = Object.entries(scripts).flatMap(([name, line]) => {
  const file = /^node (?:--import \S+ |--\S+=\S+ )*scripts\/(\S+)\.ts$/.exec(line)?.[1];
  return file === undefined ? [] : [[name, file, [] as string[]] as const];
});
const subcommands = [
  ...['pull', 'export', 'report', 'status', 'forget'].map(
    (name) => [`batches ${name}`, 'batches', [name]] as const,
  ),
  ...['batches', 'dev', 'encoders', 'media'].map(
    (name) => [`bench ${name}`, 'bench', [name]] as const,
  ),
];
const all = [...commands, ...subcommands];

/** What git sees of this checkout: a command that only tells its help changes nothing of it. */
async function state(): Promise<string> {
  const git = ['status', '--porcelain', '--', 'docs', 'package-lock.json', 'site.config.ts'];
  return (await promisify(execFile)('git', git)).stdout;
}

const before = await state();

function expectMistakeTold({ stdout, stderr, exitCode }: Awaited<ReturnType<typeof runCommand>>) {
  expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(/^\S.* \[[a-z-]+\]$/m);
  expect(stderr).toMatch(/^ {2}Why: \S/m);
  expect(stderr).toMatch(/^ {2}Do: {2}\S/m);
  expect(stderr).not.toMatch(/^\s+at /m);
}

// Each is a process that mostly starts: several at once.
describe.concurrent('every command', () => {
  it('is in the table', () => {
    expect(commands.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'start',
        'init',
        'doctor',
        'build',
        'plan',
        'merge',
        'deploy',
        'dev',
        'service',
      ]),
    );
    expect(commands.length).toBeGreaterThanOrEqual(15);
  });

  it.each(all)('%s --help says what it takes and does nothing', async (name, file, args) => {
    const ran = await runCommand(file, [...args, '--help']);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toContain(name === 'start' ? 'npm start' : 'npm ');
    expect(ran.stdout).toContain(name.split(' ').at(-1) ?? name);
  });

  it.each(all)('%s refuses a flag that it does not know', async (_, file, args) => {
    expectMistakeTold(await runCommand(file, [...args, '--nonsense']));
  });

  // merge takes folders.
  it.each(commands.filter(([name]) => name !== 'merge'))(
    '%s refuses words that belong to no flag',
    async (_, file) => {
      expectMistakeTold(await runCommand(file, ['stray']));
    },
  );

  it.each([
    ['start', ['--port', 'abc']],
    ['dev', ['--port', '70000']],
    ['service', ['--vehicles', 'many']],
    ['service', ['--now', 'soon']],
    ['chaos', ['--seeds', '-1']],
    ['chaos', ['--jobs', 'two']],
    ['plan', ['--shards', '0']],
    ['plan', ['--shards', 'many']],
    ['plan', ['--shards', '1001']],
    ['merge', []],
    ['merge', ['--output', 'elsewhere']],
    ['build', ['--shard', '3/2']],
    ['build', ['--shard', 'half']],
    ['build', ['--shard', '1/2', '--dealers', 'all']],
    ['build', ['--dealers', '7001']],
    ['build', ['--run', 'tonight']],
    ['build', ['--whole', '--thin']],
    ['build', ['--thin', '--shard', '1/2']],
    ['build', ['--lost', 'lost.json']],
    ['build', ['--thin', '--lost', 'package.json']],
    ['build', ['--thin', '--lost', 'nowhere.json']],
  ])('%s refuses %j', async (file, args) => {
    expectMistakeTold(await runCommand(file, args));
  });

  it.each([[], ['stray']])('batches refuses %j', async (...args) => {
    const ran = await runCommand('batches', args);
    expectMistakeTold({ ...ran, stdout: '' });
  });

  it.each(['init', 'build', 'bench'])('%s shows a stack trace with --debug', async (file) => {
    const { stderr } = await runCommand(file, ['--nonsense', '--debug']);
    expect(stderr).toMatch(/^\s+at /m);
  });
});

it('nothing was changed by all this', async () => {
  expect(await state()).toBe(before);
});
