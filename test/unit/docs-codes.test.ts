import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const below = (folder: string, end: string) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(end))
    .map((file) => path.join(folder, file));

/** The classes of errors that have a code. */
const CLASSES = Array.from(
  read('src/errors.ts').matchAll(/^export class (\w+Error) extends/gm),
  ([, name = '']) => name,
);

/** Error classes and codes that a source creates. */
const errorsIn = (source: string): [name: string, code: string][] => {
  const made = new RegExp(`new (${CLASSES.join('|')})\\(\\{\\s*code: '([a-z0-9-]+)'`, 'g');
  return Array.from(source.matchAll(made), ([, name = '', code = '']) => [name, code]);
};

/** Errors of the sample service, the benchmark, packages and releases, which only contributors see. */
const OF_DEVELOPERS = ['sample-data', 'bench-unknown', 'package-not-compiled', 'release-disagrees'];

it('docs/errors.md lists every error code', () => {
  const errors = [...below('src', '.ts'), ...below('scripts', '.ts')].flatMap((file) =>
    errorsIn(read(file)),
  );
  const codes = errors.map(([, code]) => code);
  expect(codes.length).toBeGreaterThan(80);
  // An unused class was renamed, or is created in a way that this test does not detect.
  const used = new Set(errors.map(([name]) => name));
  expect(CLASSES.filter((name) => !used.has(name))).toEqual([]);
  const attention = [...read('src/publish/gates/attention.ts').matchAll(/code: '([a-z-]+)'/g)];
  expect(attention.length).toBeGreaterThan(2);
  codes.push(...attention.map(([, code = '']) => code));
  const written = new Set(
    [...read('docs/errors.md').matchAll(/^### `([a-z0-9-]+)(…?)`$/gm)].map(
      ([, code, rest]) => `${code}${rest}`,
    ),
  );
  const isThere = (code: string) =>
    written.has(code) ||
    [...written].some((one) => one.endsWith('…') && code.startsWith(one.slice(0, -1)));
  const missing = new Set(codes.filter((code) => !isThere(code) && !OF_DEVELOPERS.includes(code)));
  expect([...missing]).toEqual([]);
});
