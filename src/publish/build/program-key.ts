import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { keyOf } from '../../site/plan/planned.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** Parts of the program that make no page. */
const ELSEWHERE = /^(?:batches|deploy|dev|sample-service|setup|lib\/terminal)\b/;

/** Hash of files by their names. */
export function filesKey(files: ReadonlyMap<string, string>): string {
  const sum = createHash('sha256');
  for (const [name, file] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const bytes = readFileSync(file);
    sum.update(`${name} ${bytes.length}\n`).update(bytes);
  }
  return sum.digest('base64url').slice(0, 22);
}

/**
 * Hash of this program: its own files, the exact versions of what it uses, and the data of Node's
 * that dates and numbers are written by. What it makes of the same input can change with these
 * alone.
 */
export function programKey(): string {
  const source = path.join(ROOT, 'src');
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => name.endsWith('.ts') && !ELSEWHERE.test(name));
  const files = new Map(names.map((name) => [`src/${name}`, path.join(source, name)]));
  for (const name of ['.eleventy.ts', 'package-lock.json']) files.set(name, path.join(ROOT, name));
  const { node, icu, cldr, tz, unicode } = process.versions;
  return keyOf(filesKey(files), node, icu, cldr, tz, unicode);
}
