import { expect, inject, it } from 'vitest';
import { bench } from '../../bench/commands.ts';
import { runCommand } from '../support/command.ts';

const browser = inject('browser');
/** The browser that is already unpacked. */
const env = 'missing' in browser ? {} : { ...browser.env, CHROMIUM_PATH: browser.executablePath };

/** A row below the head of a table. */
const TABLE = /^\| ?-{3}[^\n]*\|\n\| ./m;

it.each(bench.commands.map(({ name }) => name))(
  'npm run bench -- %s --short completes and prints its table',
  async (name) => {
    const { exitCode, stdout, stderr } = await runCommand('bench', [name, '--short'], env);
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toMatch(TABLE);
  },
);
