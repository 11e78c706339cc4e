// @ts-check
/** Installs the program in a project and runs it there. `npm create` and `npm run new` use it. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** @typedef {import('./project.js').Manager} Manager */

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<number>} its exit code
 */
const run = (command, args, options) =>
  new Promise((resolve) => {
    const child = spawn(command, args, options);
    child.on('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });

/** The folder of the program in a project. */
const PROGRAM = path.join('node_modules', 'vehicle-media-site');

/** Shorten npm's output, and let pnpm write a lockfile in CI. */
const OPTIONS = {
  npm: '--no-audit --no-fund --loglevel=error',
  pnpm: '--no-frozen-lockfile',
  yarn: '',
};

/**
 * Installs the packages of a project and writes its lockfile.
 *
 * @param {string} folder
 * @param {Manager} manager
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} exit code of the package manager, or 1 if it installed them elsewhere
 */
export async function install(folder, { name }, env) {
  // On Windows, package managers are scripts of the shell. Node warns about separate arguments for a shell.
  const code = await run(`${name} install ${OPTIONS[name]}`.trim(), [], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: true,
    // In CI, yarn refuses by default to write a lockfile.
    env: { ...env, YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' },
  });
  if (code !== 0 || existsSync(path.join(folder, PROGRAM))) return code;
  console.error(
    `${name} installed the packages elsewhere: ${folder} is in a workspace of another project. Choose a folder outside of it.`,
  );
  return 1;
}

/**
 * Runs a command of the program that is installed in a project.
 *
 * @param {string} folder
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} its exit code
 */
export function runInstalled(folder, args, env) {
  const program = path.join(folder, PROGRAM);
  /** @type {{ bin: Record<string, string> }} */
  const { bin } = JSON.parse(readFileSync(path.join(program, 'package.json'), 'utf8'));
  const script = path.join(program, bin['vehicle-media-site'] ?? '');
  return run(process.execPath, [script, ...args], { cwd: folder, stdio: 'inherit', env });
}

/**
 * The user's next commands, one per line.
 *
 * @param {string} folder
 * @param {string} from the folder in which the user typed the command
 * @param {readonly string[]} lines
 */
export function nextCommands(folder, from, lines) {
  const relative = path.relative(from, folder);
  const enter = relative === '' ? [] : [`cd "${relative}"`];
  return ['Next commands:', ...enter, ...lines].join('\n  ');
}
