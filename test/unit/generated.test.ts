import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { configReference } from '../../scripts/schema/config-reference.ts';
import { jsonSchemas } from '../../scripts/schema/json-schemas.ts';
import { SOURCES, viewModelReference } from '../../scripts/schema/view-models.ts';

const fileOf = (name: string) => readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

it.each(Object.keys(jsonSchemas()))(
  'docs/schema/%s is what npm run schema writes',
  async (name) => {
    expect(JSON.parse(await fileOf(`schema/${name}`))).toEqual(jsonSchemas()[name]);
  },
);

it('docs/view-models.md is what npm run schema writes, and holds every field of the views', async () => {
  const reference = await fileOf('view-models.md');
  expect(reference).toBe(viewModelReference());
  const sources = await Promise.all(SOURCES.map((source) => readFile(source, 'utf8')));
  const published = sources
    .map((source) => source.split('/** A file that is not rendered')[0])
    .join('');
  const fields = [...published.matchAll(/^ {2}(\w+\??):/gm)].map(([, name]) => name);
  expect(fields.length).toBeGreaterThan(100);
  for (const field of fields) expect(reference).toContain(`| \`${field}\` |`);
});

it('docs/configuration.md is what npm run schema writes', async () => {
  expect(await fileOf('configuration.md')).toBe(configReference());
});
