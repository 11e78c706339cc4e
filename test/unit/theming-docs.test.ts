import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

it('docs/theming.md lists exactly the custom properties of the style sheets', () => {
  const assets = new URL('../../templates/assets/', import.meta.url);
  const css = readdirSync(assets, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.css'))
    .map((name) => read(`templates/assets/${name}`))
    .join('\n');
  const declared = new Set([...css.matchAll(/^\s*(--[\w-]+):/gm)].map(([, name = '']) => name));
  const used = new Set([...css.matchAll(/var\((--[\w-]+)/g)].map(([, name = '']) => name));
  // Themes cannot change properties that a script sets on an element.
  const scripts = readdirSync(assets, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => read(`templates/assets/${name}`))
    .join('\n');
  const set = new Set(
    [...scripts.matchAll(/setProperty\('(--[\w-]+)'/g)].map(([, name = '']) => name),
  );
  const rows = [...read('docs/theming.md').matchAll(/^\| (`--[^|]+)\|/gm)];
  const documented = rows.flatMap(([, names = '']) => names.match(/--[\w-]+/g) ?? []);
  expect(declared.size).toBeGreaterThan(5);
  expect(documented.toSorted()).toEqual([...declared].toSorted());
  expect([...used].filter((name) => !declared.has(name) && !set.has(name))).toEqual([]);
});
