/**
 * Counts the phrases that CONTRIBUTING.md asks to avoid, and the words of the docs. The limits in limits.json only
 * go down: `npm run english -- --lower` writes the current counts. `--list NAME` shows every hit of a pattern.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { PATTERNS } from './english/patterns.ts';
import { allTexts, docFiles, KINDS, wordsOf } from './english/texts.ts';

type Counts = Record<string, Record<string, number>>;

const LIMITS = new URL('english/limits.json', import.meta.url);
const { values } = parseArgs({
  options: { lower: { type: 'boolean' }, list: { type: 'string' }, kind: { type: 'string' } },
});

const texts = allTexts();
const hits = Object.entries(PATTERNS).flatMap(([name, { pattern }]) =>
  texts.flatMap(({ kind, file, line, text }) =>
    [...text.matchAll(pattern)].map(({ index }) => ({
      name,
      kind,
      place: `${file}:${line + text.slice(0, index).split('\n').length - 1}`,
      excerpt: text.slice(Math.max(0, index - 40), index + 50).replace(/\s+/g, ' '),
    })),
  ),
);

if (values.list) {
  const selectedHits = hits.filter(
    ({ name, kind }) => name === values.list && (!values.kind || kind === values.kind),
  );
  for (const { kind, place, excerpt } of selectedHits) console.log(`${kind}\t${place}\t${excerpt}`);
  process.exit();
}

const counts: Counts = Object.fromEntries(
  Object.keys(PATTERNS).map((name) => [
    name,
    Object.fromEntries(
      KINDS.map((kind) => [
        kind,
        hits.filter((hit) => hit.name === name && hit.kind === kind).length,
      ]),
    ),
  ]),
);
const inDocs = docFiles().filter((file) => file.startsWith('docs/'));
counts.words = {
  'README.md': wordsOf('README.md'),
  docs: inDocs.reduce((sum, file) => sum + wordsOf(file), 0),
};

const limits = JSON.parse(readFileSync(LIMITS, 'utf8')) as Counts;
const isWords = (name: string): boolean => name === 'words';
const exceeded: string[] = [];
const lowered: Counts = {};
for (const [name, kinds] of Object.entries(counts)) {
  lowered[name] = {};
  for (const [kind, count] of Object.entries(kinds)) {
    const limit = limits[name]?.[kind] ?? count;
    lowered[name][kind] = isWords(name) ? limit : Math.min(limit, count);
    if (count <= limit) continue;
    const advice = PATTERNS[name]?.advice ?? 'Shorten the text.';
    exceeded.push(`${name}, ${kind}: ${count}, at most ${limit}. ${advice}`);
    if (!isWords(name)) exceeded.push(`  npm run english -- --list ${name} --kind ${kind}`);
  }
}

if (values.lower) writeFileSync(LIMITS, `${JSON.stringify(lowered, null, 2)}\n`);
if (exceeded.length > 0) {
  console.error(`Some texts do not follow the guide in CONTRIBUTING.md:\n${exceeded.join('\n')}`);
  process.exitCode = 1;
} else if (!values.lower && JSON.stringify(limits) !== JSON.stringify(lowered)) {
  console.log('Some counts are below their limits. Lower the limits: npm run english -- --lower');
}
