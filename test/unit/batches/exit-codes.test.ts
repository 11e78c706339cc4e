import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import * as errors from '../../../src/errors.ts';
import { wrongValue } from '../../../src/lib/command-line/wrong-argument.ts';
import { explainSystemError } from '../../../src/lib/files/system-errors.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

const sources = [
  ...readdirSync(path.join(ROOT, 'src/batches'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `src/batches/${file}`),
  'src/service/my-videos.ts',
  'src/service/get-json.ts',
  'src/config/environment.ts',
];

/** Exit codes by the name of the error's class. */
const EXITS = new Map(
  Object.entries(errors).flatMap(([name, one]) =>
    name.endsWith('Error') && name !== 'describeError'
      ? [[name, new (one as typeof errors.AppError)({ code: 'x', what: 'x' }).exitCode] as const]
      : [],
  ),
);
const exitOf = (name: string): number => EXITS.get(name) ?? -1;

/** Errors that are created with their code. */
const CREATED = /new (\w+Error)\(\{\s*code: ['`]([a-z0-9-]+)(?:\$\{\w+\})?['`]/g;

/** Codes that are arguments of a function `refused`, which always creates the same kind of error. */
const REFUSED = /\brefused\b[\s\S]{0,200}?new (\w+Error)/;
const ARGUMENT = /'((?:folder|file|export-output)-[a-z-]+)'/g;

/** Exit codes by the code of the error, as the source creates them. */
function created(): Map<string, Set<number>> {
  const found = new Map<string, Set<number>>();
  const add = (code: string, exit: number) =>
    found.set(code, (found.get(code) ?? new Set()).add(exit));
  for (const file of sources) {
    const text = read(file);
    for (const [, name = '', code = ''] of text.matchAll(CREATED)) add(code, exitOf(name));
    const [, name] = REFUSED.exec(text) ?? [];
    if (name === undefined) continue;
    for (const [, code = ''] of text.matchAll(ARGUMENT)) add(code, exitOf(name));
  }
  for (const system of ['EACCES', 'ENOTDIR', 'ENOSPC', 'EDQUOT', 'EFBIG']) {
    const error = explainSystemError(Object.assign(new Error(), { code: system }));
    if (error) add(error.code, error.exitCode);
  }
  const wrong = wrongValue('output', '', '');
  add(wrong.code, wrong.exitCode);
  return found;
}

const rows = [...read('docs/batches.md').matchAll(/^\| +(\d) \| (.*) \|$/gm)];
const documented = rows
  .filter(([, , cell = '']) => cell.includes('`') && !/ \| /.test(cell))
  .flatMap(([, exit, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => ({ code, exit: Number(exit) })),
  );

/** The documented exit codes of a code: the row that names it, otherwise the rows with its beginning. */
function exitsOf(code: string): number[] {
  const exact = documented.filter((entry) => entry.code.replace('STATUS', '') === code);
  const begins = documented.filter(
    (entry) => entry.code.endsWith('…') && code.startsWith(entry.code.slice(0, -1)),
  );
  return (exact.length > 0 ? exact : begins).map(({ exit }) => exit);
}

describe('the exit codes of batches in docs/batches.md', () => {
  const codes = created();

  it.each([...codes])('%s is documented with its exit code', (code, exits) => {
    expect(exitsOf(code)).toEqual([...exits]);
  });

  it('were found in all forms of the source', () => {
    expect(codes.size).toBeGreaterThan(35);
    for (const code of ['service-refused-', 'folder-is-link', 'export-output-exists']) {
      expect(codes.has(code)).toBe(true);
    }
  });

  it('name no code that does not exist', () => {
    const elsewhere = ['src/lib/command-line/run.ts', 'src/lib/command-line/wrong-argument.ts'];
    const text = [...sources, ...elsewhere].map(read).join('\n');
    const stale = documented
      .map(({ code }) => code.replace(/STATUS$|…$/, ''))
      .filter(
        (code) => !text.includes(code) && ![...codes.keys()].some((one) => one.startsWith(code)),
      );
    expect(stale).toEqual(['config-']);
  });

  it('are all exit codes that a command can have', () => {
    const meanings = rows
      .filter(([, , cell = '']) => / \| /.test(cell))
      .map(([, exit]) => Number(exit));
    expect(meanings).toEqual(Object.values(errors.EXIT).sort());
  });
});
