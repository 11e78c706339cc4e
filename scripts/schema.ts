/** Writes what is generated from the zod schemas: JSON Schemas and the configuration reference. */
import { mkdir, writeFile } from 'node:fs/promises';
import { configReference } from './schema/config-reference.ts';
import { jsonSchemas } from './schema/json-schemas.ts';

await mkdir('docs/schema', { recursive: true });
for (const [name, schema] of Object.entries(jsonSchemas())) {
  await writeFile(`docs/schema/${name}`, `${JSON.stringify(schema, null, 2)}\n`);
}
await writeFile('docs/configuration.md', configReference());
