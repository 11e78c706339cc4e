import { expect, it } from 'vitest';
import { bench } from '../../bench/commands.ts';
import { runCommand } from '../support/command.ts';

const { CHROMIUM_PATH = '' } = process.env;
const env = { CHROMIUM_PATH };

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
