import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { IS_PUBLISHED, OWN_VERSION, PACKAGE_ROOT, packageVersion } from '../../lib/own-package.ts';
import { keyOf } from '../../site/plan/planned.ts';

/** Parts of the program that make no page. */
const NOT_OF_PAGES = /^(?:batches|deploy|dev|sample-service|setup|lib\/terminal)\b/;

/** Packages that pages and files are made by; those of pictures are in the names of thumbnails. */
const MAKERS = [
  '@11ty/eleventy',
  'csv-parse',
  'esbuild',
  'feed',
  'htmlparser2',
  'ipaddr.js',
  'markdown-it',
  'nunjucks',
  'zod',
];

/** Hash of files by their names. */
export function filesKey(files: ReadonlyMap<string, string>): string {
  const sum = createHash('sha256');
  for (const [name, file] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const bytes = readFileSync(file);
    sum.update(`${name} ${bytes.length}\n`).update(bytes);
  }
  return sum.digest('base64url').slice(0, 22);
}

/** Hash of the files that make pages: in a checkout, people change them without a new version. */
function hashSources(): string {
  const source = path.join(PACKAGE_ROOT, 'src');
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => name.endsWith('.ts') && !NOT_OF_PAGES.test(name));
  const files = new Map(names.map((name) => [`src/${name}`, path.join(source, name)]));
  files.set('.eleventy.ts', path.join(PACKAGE_ROOT, '.eleventy.ts'));
  return filesKey(files);
}

let sourceKey: string | undefined;

/**
 * Hash of this program: its version (in a checkout, its files), the exact versions of what it uses, and
 * the data of Node's that dates and numbers are written by. What it makes of the same input can change
 * with these alone.
 */
export function programKey(): string {
  // Once: a process goes on with the code that it has loaded.
  sourceKey ??= IS_PUBLISHED ? OWN_VERSION : hashSources();
  const { node, icu, cldr, tz, unicode } = process.versions;
  return keyOf(
    sourceKey,
    MAKERS.map((name) => `${name}@${packageVersion(name)}`),
    node,
    icu,
    cldr,
    tz,
    unicode,
  );
}
