import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LoadedConfig } from '../../src/config/load.ts';
import type { SampleService } from '../../src/sample-service/server.ts';
import { build, configFor } from './build.ts';

/** Files of the example in docs/extending.md: a name in backticks, a colon, then its text. */
export async function customPagesExample(): Promise<Record<string, string>> {
  const text = await readFile('docs/extending.md', 'utf8');
  const blocks = text.matchAll(/^`([\w./]+)`:\n\n```\w+\n([\s\S]*?)^```$/gm);
  return Object.fromEntries([...blocks].map(([, name = '', content = '']) => [name, content]));
}

/** A configuration in a folder, with the theme and the custom pages there. */
export const configIn = (service: SampleService, folder: string): LoadedConfig =>
  configFor(service, { file: path.join(folder, 'site.config.json') });

/** Builds with a working folder. Eleventy copies only files below it. */
export function buildFrom(cwd: string, config: LoadedConfig) {
  const workingFolder = process.cwd();
  process.chdir(cwd);
  return build(config, path.dirname(config.file)).finally(() => process.chdir(workingFolder));
}

/** A module of a plugin, for `import`. */
export const moduleOf = (file: string) =>
  JSON.stringify(pathToFileURL(path.resolve('node_modules/@11ty', file)).href);
