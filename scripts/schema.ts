/** Writes what is generated: JSON Schemas, references of configuration and view models, tables of hosts and findings. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { configReference } from './schema/config-reference.ts';
import { jsonSchemas } from './schema/json-schemas.ts';
import { GENERATED_SECTIONS, withSection } from './schema/setup-reference.ts';
import { viewModelReference } from './schema/view-models.ts';

await mkdir('docs/schema', { recursive: true });
for (const [name, schema] of Object.entries(jsonSchemas())) {
  await writeFile(`docs/schema/${name}`, `${JSON.stringify(schema, null, 2)}\n`);
}
await writeFile('docs/configuration.md', configReference());
await writeFile('docs/view-models.md', viewModelReference());
for (const { file, name, content } of GENERATED_SECTIONS) {
  await writeFile(file, withSection(await readFile(file, 'utf8'), name, content()));
}
