import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const below = (folder: string, end: string) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(end))
    .map((file) => path.join(folder, file));

const ERROR =
  /new (?:App|Config|Gate|Hole|Refused|SecretFound|Unreachable)Error\(\{\s*code: '([a-z0-9-]+)'/g;

/** Of the sample service, of the bench and of releases: who meets them changes this project. */
const OF_DEVELOPERS = ['sample-data', 'bench-unknown', 'release-disagrees'];

it('every code that an error can have stands in the docs', () => {
  const codes = [...below('src', '.ts'), ...below('scripts', '.ts')].flatMap((file) =>
    [...read(file).matchAll(ERROR)].map(([, code = '']) => code),
  );
  expect(codes.length).toBeGreaterThan(80);
  const attention = [...read('src/publish/gates/attention.ts').matchAll(/code: '([a-z-]+)'/g)];
  expect(attention.length).toBeGreaterThan(2);
  codes.push(...attention.map(([, code = '']) => code));
  const docs = ['operations', 'batches', 'scale'].map((name) => read(`docs/${name}.md`)).join('\n');
  const written = new Set(
    [...docs.matchAll(/`([a-z0-9-]+)(…?)`/g)].map(([, code, rest]) => `${code}${rest}`),
  );
  const isThere = (code: string) =>
    written.has(code) ||
    [...written].some((one) => one.endsWith('…') && code.startsWith(one.slice(0, -1)));
  const missing = new Set(codes.filter((code) => !isThere(code) && !OF_DEVELOPERS.includes(code)));
  expect([...missing]).toEqual([]);
});
