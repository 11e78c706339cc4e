import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * Imports go in one direction; docs/architecture.md shows it. A layer may import itself and earlier layers in
 * its row.
 */
const SITE = [
  'lib',
  'contract',
  'config',
  'service',
  'download',
  'stock',
  'record',
  'images',
  'change-set',
  'videos',
  'site',
  'render',
  'publish',
];
const ROWS = [
  [...SITE, 'dev', 'cli'],
  [...SITE, 'setup', 'cli'],
  // A deploy uses the output of a build and does not depend on builds.
  [...SITE.filter((layer) => layer !== 'publish'), 'deploy', 'cli'],
  [...SITE, 'eleventy-plugin'],
  ['lib', 'contract', 'config', 'service', 'batches', 'cli'],
  ['lib', 'contract', 'sample-service', 'cli'],
];

const ROOT = path.resolve(import.meta.dirname, '../..');
const SRC = path.join(ROOT, 'src');

/** Layer of a file below src: its folder. Errors belong to the lowest layer. */
const layerOf = (file: string): string => {
  const [first = ''] = path.relative(SRC, file).split(path.sep);
  return first === 'errors.ts' ? 'lib' : first;
};

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g);
  return [...found].map(([, to]) => path.resolve(path.dirname(file), to ?? ''));
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => path.join(SRC, file));

const mayImport = (from: string, to: string): boolean =>
  from === to ||
  ROWS.some((row) => row.includes(from) && row.includes(to) && row.indexOf(to) < row.indexOf(from));

/** Cycles in a graph of names. */
function cyclesOf(graph: ReadonlyMap<string, Iterable<string>>): string[] {
  const state = new Map<string, 'open' | 'done'>();
  const cycles: string[] = [];
  const visit = (node: string, trail: readonly string[]): void => {
    if (state.get(node) === 'done') return;
    if (state.get(node) === 'open') {
      const cycle = [...trail.slice(trail.indexOf(node)), node];
      cycles.push(cycle.map((one) => path.relative(SRC, one)).join(' → '));
      return;
    }
    state.set(node, 'open');
    for (const to of graph.get(node) ?? []) visit(to, [...trail, node]);
    state.set(node, 'done');
  };
  for (const node of graph.keys()) visit(node, []);
  return cycles;
}

describe('imports', () => {
  it('are parsed', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(files.flatMap(importsOf).length).toBeGreaterThan(100);
    expect([
      mayImport('stock', 'publish'),
      mayImport('site', 'batches'),
      mayImport('batches', 'service'),
    ]).toEqual([false, false, true]);
  });

  it('go in one direction, between known layers', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((to) => !mayImport(layerOf(file), layerOf(to)))
        .map((to) => `${path.relative(ROOT, file)} → ${path.relative(ROOT, to)}`),
    );
    expect(wrong).toEqual([]);
  });

  it('have no cycle between files or folders', () => {
    const imports = new Map(files.map((file) => [file, importsOf(file)]));
    const folders = new Map<string, Set<string>>();
    for (const [file, used] of imports) {
      const from = path.dirname(file);
      const to = used.map((one) => path.dirname(one)).filter((folder) => folder !== from);
      folders.set(from, new Set([...(folders.get(from) ?? []), ...to]));
    }
    expect([...cyclesOf(imports), ...cyclesOf(folders)]).toEqual([]);
    expect(
      cyclesOf(new Map(Object.entries({ a: ['b'], b: ['c'], c: ['a'], d: ['a'] }))),
    ).toHaveLength(1);
  });

  it.each([
    ['src', 300],
    ['scripts', 300],
    ['bench', 300],
    ['templates', 300],
    ['.eleventy.ts', 300],
    ['test', 400],
  ])('keep files short: %s', (place, most) => {
    const all = place.includes('.')
      ? [place]
      : readdirSync(path.join(ROOT, place), { recursive: true, encoding: 'utf8' })
          .filter((file) => /\.(?:ts|js|css|njk)$/.test(file))
          .map((file) => path.join(place, file));
    expect(all).not.toEqual([]);
    const long = all.filter(
      (file) => readFileSync(path.join(ROOT, file), 'utf8').split('\n').length > most + 1,
    );
    expect(long).toEqual([]);
  });

  // The package's process passes its environment to the command.
  it('read the environment only in the configuration', () => {
    const readers = files.filter((file) => /process\.env\b/.test(readFileSync(file, 'utf8')));
    expect(readers.map((file) => path.relative(SRC, file))).toEqual([
      'cli/bin.ts',
      'config/environment.ts',
    ]);
  });
});
