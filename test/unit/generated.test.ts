import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { configReference } from '../../scripts/schema/config-reference.ts';
import { jsonSchemas } from '../../scripts/schema/json-schemas.ts';

const fileOf = (name: string) => readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

it.each(Object.keys(jsonSchemas()))(
  'docs/schema/%s is what npm run schema writes',
  async (name) => {
    expect(JSON.parse(await fileOf(`schema/${name}`))).toEqual(jsonSchemas()[name]);
  },
);

it('docs/configuration.md is what npm run schema writes', async () => {
  expect(await fileOf('configuration.md')).toBe(configReference());
});
