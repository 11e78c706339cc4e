import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * Imports go one way; docs/architecture.md draws it. A layer may import itself and the ones before
 * it in its row.
 */
const ROWS = [
  ['errors', 'contract', 'config', 'service', 'stock', 'record', 'media', 'site', 'publish', 'dev'],
  [
    'errors',
    'contract',
    'config',
    'service',
    'stock',
    'record',
    'media',
    'site',
    'publish',
    'setup',
  ],
  ['errors', 'contract', 'config', 'service', 'batches'],
  [
    'errors',
    'contract',
    'config',
    'service',
    'stock',
    'record',
    'media',
    'site',
    'publish',
    'deploy',
  ],
  ['errors', 'contract', 'sample-service'],
];
/** What knows nothing of the rest: lines on a terminal, escaping for markup, files written whole. */
const EVERYWHERE = ['terminal', 'html', 'files'];

const ROOT = path.resolve(import.meta.dirname, '../..');
const SRC = path.join(ROOT, 'src');

/** Layer of a file below src: its folder, or its name without extension. */
const layerOf = (file: string): string =>
  path.relative(SRC, file).split(path.sep)[0]?.replace(/\.ts$/, '') ?? '';

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
  EVERYWHERE.includes(to) ||
  ROWS.some((row) => row.includes(from) && row.includes(to) && row.indexOf(to) < row.indexOf(from));

describe('imports', () => {
  it('are read at all', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(files.flatMap(importsOf).length).toBeGreaterThan(100);
    expect([
      mayImport('stock', 'publish'),
      mayImport('site', 'batches'),
      mayImport('batches', 'service'),
    ]).toEqual([false, false, true]);
  });

  it('go one way, between known layers', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((to) => !mayImport(layerOf(file), layerOf(to)))
        .map((to) => `${path.relative(ROOT, file)} → ${path.relative(ROOT, to)}`),
    );
    expect(wrong).toEqual([]);
  });

  it('make no circle', () => {
    const state = new Map<string, 'open' | 'done'>();
    const circles: string[] = [];
    const visit = (file: string, trail: readonly string[]): void => {
      if (state.get(file) === 'done') return;
      if (state.get(file) === 'open') {
        circles.push([...trail, file].map((one) => path.relative(SRC, one)).join(' → '));
        return;
      }
      state.set(file, 'open');
      for (const to of importsOf(file)) visit(to, [...trail, file]);
      state.set(file, 'done');
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });

  it('keep files short enough to read in one go', () => {
    const long = files.filter((file) => readFileSync(file, 'utf8').split('\n').length > 400);
    expect(long.map((file) => path.relative(ROOT, file))).toEqual([]);
  });

  it('read the environment in the configuration alone', () => {
    const readers = files.filter((file) => /process\.env\b/.test(readFileSync(file, 'utf8')));
    expect(readers.map((file) => path.relative(SRC, file))).toEqual(['config/load.ts']);
  });
});
