import { execFile, execFileSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { completionScript, type Shell } from '../../../src/lib/command-line/completion/script.ts';
import {
  type CommandGroup,
  defineCommand,
  defineOptions,
} from '../../../src/lib/command-line/definition.ts';
import { temporaryFolder } from '../../support/build.ts';

const load = async () => ({ run: async () => 0 });

const build = defineCommand({
  name: 'build',
  summary: "the dealer's site: all of it",
  description: 'Builds.',
  options: defineOptions({
    output: { type: 'path', value: 'DIR', help: 'a folder' },
    config: { type: 'path', value: 'FILE', help: 'a file' },
    format: { type: 'string', value: 'F', choices: ['csv', 'ndjson'], help: "the form: it's one" },
    title: { type: 'string', value: 'TEXT', help: 'a text' },
    quiet: { type: 'boolean', help: 'fewer words' },
  }),
  load,
});
const merge = defineCommand({
  name: 'merge',
  summary: 'merge',
  description: 'Merges.',
  options: {},
  words: { name: 'DIR', help: 'folders', most: 9, complete: 'folder' },
  load,
});
const history: CommandGroup = {
  name: 'history',
  summary: 'history',
  description: 'History.',
  commands: [{ ...build, name: 'pull' }, merge],
  member: { name: 'command', code: 'command-unknown' },
};
const COMMANDS = [build, merge, history];

const has = (shell: string): boolean => {
  try {
    execFileSync(shell, ['-c', 'exit 0'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** How each shell is asked for what it offers after words, the last of which is being typed. */
const ASK: Record<Shell, (script: string, words: string[]) => string[]> = {
  bash: (script, words) => [
    '--norc',
    '-c',
    `source ${script}
     COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
     "$(complete -p ${words[0]} | sed 's/.*-F \\([^ ]*\\).*/\\1/')"
     printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  // What zsh's own functions would offer: they need a terminal.
  zsh: (script, words) => [
    '-f',
    '-c',
    `compdef() { used=$1 }
     _files() { [[ $1 == -/ ]] && print -l site/ || print -l site config.json }
     _message() { : }
     compadd() { shift; print -l -- "$@" }
     _describe() { print -l -- "\${(@)\${(@P)2}%%:*}" }
     source ${script}
     words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}; PREFIX='${words.at(-1)}'
     $used`,
  ],
  fish: (script, words) => [
    '--no-config',
    '-c',
    `source ${script}; complete -C '${words.join(' ')}'`,
  ],
};

async function offered(
  shell: Shell,
  line: string,
  options: { program: string; separator?: string },
) {
  await using folder = await temporaryFolder();
  const script = path.join(folder.path, 'script');
  await writeFile(script, completionScript(shell, COMMANDS, { before: ['run'], ...options }));
  await mkdir(path.join(folder.path, 'cwd/site'), { recursive: true });
  await writeFile(path.join(folder.path, 'cwd/config.json'), '{}');
  // A program of this name: fish completes no other.
  const bin = path.join(folder.path, options.program);
  await writeFile(bin, '#!/bin/sh\n');
  await chmod(bin, 0o755);
  const words = line.split(' ');
  const { stdout, stderr } = await promisify(execFile)(shell, ASK[shell](script, words), {
    cwd: path.join(folder.path, 'cwd'),
    env: { PATH: `${folder.path}:${process.env.PATH}`, HOME: folder.path },
  });
  expect(stderr).toBe('');
  const typed = words.at(-1) ?? '';
  const names = stdout.split('\n').map((text) => text.split('\t')[0]?.replace(/\/$/, '') ?? '');
  return names.filter((name) => name !== '' && name.startsWith(typed)).sort();
}

const NPM = { program: 'npm', separator: '--' };
const BIN = { program: 'sitetool' };
const OPTIONS = ['--config', '--debug', '--format', '--help', '--output', '--quiet', '--title'];

describe.each(['bash', 'zsh', 'fish'] as const)('completion for %s', (shell) => {
  const where = it.skipIf(!has(shell));

  where.each([
    ['npm run build -- --', OPTIONS],
    ['npm run build -- --qu', ['--quiet']],
    ['npm run -s build -- --quiet --f', ['--format']],
    ['npm run build -- --format ', ['csv', 'ndjson']],
    ['npm run build -- --format n', ['ndjson']],
    ['npm run build -- --output ', ['site']],
    ['npm run build -- --config ', ['config.json', 'site']],
    ['npm run build -- --title ', []],
    ['npm run history -- ', ['merge', 'pull']],
    ['npm run history -- pull --c', ['--config']],
    ['npm run merge -- ', ['site']],
    ['npm run merge -- --', ['--debug', '--help']],
    ['npm run other -- --', []],
  ])('%s', async (line, names) => {
    expect(await offered(shell, line, NPM)).toEqual(names);
  });

  where.each([
    ['sitetool ', ['build', 'history', 'merge']],
    ['sitetool b', ['build']],
    ['sitetool history ', ['merge', 'pull']],
    ['sitetool build --qu', ['--quiet']],
    ['sitetool history pull --format ', ['csv', 'ndjson']],
  ])('as a program of its own: %s', async (line, names) => {
    expect(await offered(shell, line, BIN)).toEqual(names);
  });
});
