import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { IS_PUBLISHED, OWN_VERSION, PACKAGE_ROOT, packageVersions } from '../../lib/own-package.ts';
import { keyOf } from '../../site/plan/planned.ts';

/** Parts of the program that do not affect pages. */
const UNRELATED_SOURCES = /^(?:batches|deploy|dev|sample-service|setup|lib\/terminal)\b/;

/** Hash of files with their names. */
export function filesKey(files: ReadonlyMap<string, string>): string {
  const fileDigest = createHash('sha256');
  for (const [name, file] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const bytes = readFileSync(file);
    fileDigest.update(`${name} ${bytes.length}\n`).update(bytes);
  }
  return fileDigest.digest('base64url').slice(0, 22);
}

/** Hash of the source files that make pages. In a checkout, they change without a new version. */
function hashSources(): string {
  const source = path.join(PACKAGE_ROOT, 'src');
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => name.endsWith('.ts') && !UNRELATED_SOURCES.test(name));
  const files = new Map(names.map((name) => [`src/${name}`, path.join(source, name)]));
  files.set('.eleventy.ts', path.join(PACKAGE_ROOT, '.eleventy.ts'));
  return filesKey(files);
}

let sourceKey: string | undefined;

/**
 * Hash of this program: its version (in a checkout, its files), the exact versions of its packages, and Node's
 * data for formatting dates and numbers. With the same hash, the same input gives the same output.
 */
export function programKey(): string {
  // Computed once, because a process keeps running the code that it has loaded.
  sourceKey ??= IS_PUBLISHED ? OWN_VERSION : hashSources();
  const { node, icu, cldr, tz, unicode } = process.versions;
  return keyOf(sourceKey, packageVersions(), node, icu, cldr, tz, unicode);
}
