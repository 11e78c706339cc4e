import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { configSchema } from '../../src/config/schema.ts';

const text = await readFile('docs/configuration.md', 'utf8');
const sections = text.slice(text.indexOf('<!-- settings -->')).split(/^## /m).slice(1);

/** Cells of the rows of a table, without its heading. */
const rowsOf = (section: string): string[][] =>
  section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));

it('every section of the reference of settings lists its settings', () => {
  expect(sections.map((section) => section.split('\n')[0])).toEqual(
    Object.keys(configSchema.shape).filter((key) => key !== '$schema'),
  );
  expect(sections.filter((section) => rowsOf(section).length === 0)).toEqual([]);
  expect(text).toContain('| `feeds[].columns` | object | **needed** | generic: ');
});

it('a setting without a default in the reference has none', () => {
  const config = configSchema.parse({
    service: { baseUrl: 'https://media.example' },
    site: { title: 'Cars', url: 'https://cars.example' },
    dealers: [{ id: 1, name: 'North', slug: 'north' }],
  }) as object;
  const withoutDefault = sections
    .flatMap(rowsOf)
    .filter(([, , , byDefault]) => byDefault === '–')
    .map(([, name = '']) => name.replaceAll('`', ''));
  expect(withoutDefault).toContain('site.logo');
  const valueAt = (name: string) =>
    name
      .replaceAll('[]', '.0')
      .split('.')
      .reduce<unknown>(
        (value, key) => (value as Record<string, unknown> | undefined)?.[key],
        config,
      );
  expect(withoutDefault.filter((name) => valueAt(name) !== undefined)).toEqual([]);
});
