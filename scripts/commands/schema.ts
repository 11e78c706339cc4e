import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { EXIT } from '../../src/errors.ts';
import type { Run } from '../../src/lib/command-line/definition.ts';
import { jsonSchemas } from '../schema/json-schemas.ts';
import { GENERATED_SECTIONS, withSection } from '../schema/setup-reference.ts';

export const run: Run = async () => {
  await mkdir('docs/schema', { recursive: true });
  for (const [name, schema] of Object.entries(jsonSchemas())) {
    await writeFile(`docs/schema/${name}`, `${JSON.stringify(schema, null, 2)}\n`);
  }
  for (const { file, name, content } of GENERATED_SECTIONS) {
    await writeFile(file, withSection(await readFile(file, 'utf8'), name, content()));
  }
  return EXIT.published;
};
