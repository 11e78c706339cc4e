import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jsonSchemas } from '../../scripts/schema/json-schemas.ts';
import { GENERATED_SECTIONS } from '../../scripts/schema/setup-reference.ts';
import { mediaJsonSchemas } from '../../src/site/documents/media-json.ts';

const fileOf = (name: string) => readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

it.each(Object.keys(jsonSchemas()))(
  'docs/schema/%s is up to date with npm run schema',
  async (name) => {
    expect(JSON.parse(await fileOf(`schema/${name}`))).toEqual(jsonSchemas()[name]);
  },
);

/** The cells of a table. The formatter controls the width of its columns. */
const cells = (text: string): string => text.replace(/ +/g, ' ').replace(/-{3,}/g, '---');

it.each(GENERATED_SECTIONS)('$file contains the $name from npm run schema', async (section) => {
  const { file, name, content } = section;
  const document = await readFile(file, 'utf8');
  const [, found = ''] = new RegExp(`<!-- ${name} -->([^]*)<!-- /${name} -->`).exec(document) ?? [];
  expect(cells(found.trim())).toBe(cells(content()));
});

type Node = Readonly<Record<string, unknown>>;

/** Every object with properties in a JSON Schema, with its path. */
function objectsIn(node: unknown, path = ''): [string, Node][] {
  if (typeof node !== 'object' || node === null) return [];
  const below = Object.entries(node).flatMap(([key, value]) => objectsIn(value, `${path}/${key}`));
  return 'properties' in node && 'type' in node ? [[path, node as Node], ...below] : below;
}

const accepts = (node: Node, value: unknown): boolean =>
  z.fromJSONSchema({ ...node, properties: {}, required: [] }).safeParse(value).success;

describe('unknown fields of a later version', () => {
  const { vehicle, dealer } = mediaJsonSchemas();
  const {
    'site.config.schema.json': config,
    'words.schema.json': texts,
    ...outputs
  } = jsonSchemas();
  const schemas = {
    ...outputs,
    '/schema/vehicle-media.json': JSON.parse(vehicle),
    '/schema/dealer-media.json': JSON.parse(dealer),
  };

  it.each(Object.entries(schemas))('are valid in an output: %s', (_name, schema) => {
    const objects = objectsIn(schema);
    expect(objects.length).toBeGreaterThan(2);
    const closed = objects.filter(([, node]) => !accepts(node, { addedLater: 1 }));
    expect(closed.map(([path]) => path)).toEqual([]);
  });

  it('are errors in the files that users write, if they look misspelled', () => {
    for (const schema of [config, texts]) {
      expect(accepts(schema as Node, { addedLater: 1 })).toBe(false);
    }
  });
});
