import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { LoadedConfig } from '../../src/config/load.ts';
import type { SampleService } from '../../src/sample-service/index.ts';
import { configFor } from './build.ts';

/** Files of the example in docs/extending.md: a name in backticks, a colon, then its text. */
export async function customPagesExample(): Promise<Record<string, string>> {
  const text = await readFile('docs/extending.md', 'utf8');
  const blocks = text.matchAll(/^`([\w./]+)`:\n\n```\w+\n([\s\S]*?)^```$/gm);
  return Object.fromEntries([...blocks].map(([, name = '', content = '']) => [name, content]));
}

/** A configuration in a folder, with the theme and the custom pages there. */
export const configIn = (service: SampleService, folder: string): LoadedConfig =>
  configFor(service, { file: path.join(folder, 'site.config.json') });
