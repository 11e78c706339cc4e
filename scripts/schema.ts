/** Writes what is generated from schemas and types: JSON Schemas, the reference of the
 * configuration, and the one of the view models. */
import { mkdir, writeFile } from 'node:fs/promises';
import { configReference } from './schema/config-reference.ts';
import { jsonSchemas } from './schema/json-schemas.ts';
import { viewModelReference } from './schema/view-models.ts';

await mkdir('docs/schema', { recursive: true });
for (const [name, schema] of Object.entries(jsonSchemas())) {
  await writeFile(`docs/schema/${name}`, `${JSON.stringify(schema, null, 2)}\n`);
}
await writeFile('docs/configuration.md', configReference());
await writeFile('docs/view-models.md', viewModelReference());
