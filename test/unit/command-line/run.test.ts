import { describe, expect, it } from 'vitest';
import {
  type Args,
  type CommandGroup,
  defineCommand,
  defineOptions,
  type Io,
  type Program,
} from '../../../src/lib/command-line/definition.ts';
import { runCommandLine } from '../../../src/lib/command-line/run.ts';
import { recordedIo } from '../../support/run-here.ts';

const OPTIONS = defineOptions({
  output: { type: 'path', value: 'DIR', default: '_site', help: 'where it goes' },
  quiet: { type: 'boolean', help: 'fewer words' },
  'no-colour': { type: 'boolean', help: 'plain text' },
});

const program: Program = { line: (path, args) => ['tool', ...path, args].join(' ').trim() };

/** A tool with two commands, one of them in a group, that run the test's function. */
function tool(run: (args: Args<typeof OPTIONS>, io: Io) => Promise<number> = async () => 0) {
  const command = defineCommand({
    name: 'make',
    summary: 'make something',
    description: 'Makes something, with many words. '.repeat(6).trim(),
    options: OPTIONS,
    notes: ['A note.'],
    exitCodes: { 0: 'made', 2: 'wrong' },
    examples: [{ args: '--quiet', does: 'make it in silence' }],
    load: async () => ({ run }),
  });
  const member = { name: 'command', code: 'command-unknown' };
  const inner: CommandGroup = {
    name: 'inner',
    summary: 'more of it',
    description: 'More.',
    commands: [command],
    member,
  };
  const root: CommandGroup = { ...inner, name: 'tool', commands: [command, inner] };
  return async (
    args: string[],
    given: Parameters<typeof recordedIo>[0] & Partial<Program> = {},
  ) => {
    const { prepare, ...more } = given;
    const { io, printed } = recordedIo(more);
    const exitCode = await runCommandLine(root, args, io, {
      ...program,
      ...(prepare && { prepare }),
    });
    return { exitCode, ...printed };
  };
}

describe('a command line', () => {
  it.each([
    ['npm_config_quiet', 'true', '--quiet'],
    ['npm_config_output', 'private', '--output DIR'],
    // npm run inner --no-colour
    ['npm_config_colour', '', '--no-colour'],
  ])('refuses an option that npm kept: %s', async (variable, value, option) => {
    const run = tool(async () => 5);
    const taken = await run(['inner', 'make'], {
      env: { npm_lifecycle_event: 'inner', [variable]: value },
    });
    expect(taken.exitCode).toBe(2);
    expect(taken.stderr).toContain(
      `Write: tool inner make ${option} (in PowerShell, update npm or put`,
    );
    expect(taken.stderr).not.toContain('private');
    const others = [
      { npm_lifecycle_event: 'release', [variable]: value },
      { npm_lifecycle_event: 'inner', [variable]: 'false' },
    ];
    for (const env of others) expect((await run(['inner', 'make'], { env })).exitCode).toBe(5);
  });

  it('runs the command with its arguments after its preparation', async () => {
    const seen: unknown[] = [];
    const run = tool(async ({ values }, { stdout, cwd }) => {
      seen.push(values.output, values.quiet);
      stdout.write(`in ${cwd}`);
      return 5;
    });
    const prepare = async () => void seen.push('prepared');
    const ran = await run(['inner', 'make', '--quiet'], { cwd: '/a', prepare });
    expect(ran).toEqual({ exitCode: 5, stdout: 'in /a', stderr: '' });
    expect(seen).toEqual(['prepared', '/a/_site', true]);
  });

  it.each([
    [['make', '--help'], 'tool make [options]'],
    [['make', '-h', '--nonsense'], 'tool make [options]'],
    [['inner', 'make', '--help'], 'tool inner make [options]'],
    [['inner', '--help'], 'make        make something'],
    [['help'], 'inner       more of it'],
  ])('%j prints help and exits', async (args, text) => {
    const prepare = async () => {
      throw new Error('it is prepared');
    };
    const run = tool(async () => {
      throw new Error('it runs');
    });
    const { exitCode, stdout, stderr } = await run(args, { prepare });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(text);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  it('lists its complete definition in its help', async () => {
    const { stdout } = await tool()(['make', '--help']);
    for (const text of [
      '--output <DIR>  where it goes (default: _site)',
      '--quiet         fewer words',
      '--debug',
      'A note.',
      'Exit codes: 0 made, 2 wrong.',
      'tool make --quiet\n      make it in silence',
    ]) {
      expect(stdout).toContain(text);
    }
  });

  it.each([
    [[], 'No command was given.', 'Use one of: make, inner.'],
    [['mkae'], 'There is no such command.', 'Did you mean make?'],
    [['inner', 'toString'], 'There is no such command.', 'Use one of: make.'],
  ])('%j is refused', async (args, what, fix) => {
    const { exitCode, stderr } = await tool()(args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`${what} [command-unknown]\n  Why: `);
    expect(stderr).toContain(fix);
  });

  it('reports errors of the system and bugs; a stack only with --debug', async () => {
    const full = tool(async () => {
      throw Object.assign(new Error('no'), { code: 'EACCES', path: '/x' });
    });
    const { exitCode, stderr } = await full(['make']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('/x could not be used. [file-eacces]');
    expect(stderr).not.toMatch(/^\s+at /m);
    expect((await full(['make', '--debug'])).stderr).toMatch(/^\s+at /m);
    const disk = tool(async () => {
      throw Object.assign(new Error('no'), { code: 'ENOSPC', path: '/x' });
    });
    expect(await disk(['make'])).toMatchObject({ exitCode: 5 });
    const broken = tool(async () => {
      throw new TypeError('broken');
    });
    expect(await broken(['make'])).toMatchObject({ exitCode: 1 });
  });

  it('reports an interruption', async () => {
    const run = tool(async (_, { signal }) => {
      signal.throwIfAborted();
      return 0;
    });
    const ran = await run(['make'], { signal: AbortSignal.abort() });
    expect(ran).toMatchObject({ exitCode: 5 });
    expect(ran.stderr).toContain('[command-interrupted]');
  });
});
