import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type LoadedConfig, resolveConfig } from '../../src/config/load.ts';
import type { UserConfig } from '../../src/config/schema.ts';
import { temporaryFolder as openTemporaryFolder } from '../../src/lib/files/temporary-folder.ts';
import { type Console, createConsole } from '../../src/lib/terminal/progress.ts';
import type { RunOptions } from '../../src/publish/options/run-options.ts';
import { type RunResult, runBuild } from '../../src/publish/run.ts';
import { PUBLISHED_TIMES } from '../../src/record/published-records.ts';
import type { SampleService } from '../../src/sample-service/server.ts';

/** A folder that is removed when its scope ends. */
export const temporaryFolder = () => openTemporaryFolder('site-test-');

/** A console that keeps its lines. */
export function recordingConsole(): Console & { lines: string[] } {
  const lines: string[] = [];
  const console = createConsole({
    stream: { write: (text: string) => lines.push(text) > 0, isTTY: false, columns: 80 },
  });
  return { ...console, lines };
}

/** Settings of a test and the file for them. Theme and custom pages are next to it. */
export type Change = Partial<UserConfig> & { file?: string };

/** The configuration for a sample service. `change` adds settings, `env` adds variables. */
export function configFor(
  service: Pick<SampleService, 'baseUrl' | 'mediaKey'> & {
    data: { dealers: readonly { id: number; name: string }[] };
  },
  { file = 'test', ...change }: Change = {},
  env: NodeJS.ProcessEnv = {},
): LoadedConfig {
  const config = resolveConfig(
    {
      service: { baseUrl: service.baseUrl, timeout: '20s' },
      site: { title: 'Test Motors', url: 'https://cars.example', timeZone: 'Europe/London' },
      dealers: service.data.dealers.map(({ id, name }, index) => ({
        id,
        name,
        slug: `dealer-${index + 1}`,
      })),
      media: { widths: [160, 320] },
      ...change,
    } satisfies UserConfig,
    { file, keysFor: 'dealers', env: { MEDIA_API_KEY: service.mediaKey, ...env } },
  );
  return { ...config, service: { ...config.service, totalTimeout: 40_000, retries: 1 } };
}

/** Writes a configuration file with one dealer of a sample service, or other settings. @returns its path. */
export function writeConfigIn(
  folder: string,
  { baseUrl }: Pick<SampleService, 'baseUrl'>,
  change: Partial<UserConfig> = {},
): string {
  const file = path.join(folder, 'config.json');
  const config: UserConfig = {
    service: { baseUrl, timeout: '20s' },
    site: { title: 'Cars', url: 'https://cars.example' },
    dealers: [{ id: 7001, name: 'One', slug: 'one' }],
    media: { widths: [160] },
    ...change,
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

/** The same with the site, the dealers and the widths of a loaded configuration. */
export const writeConfigOf = (
  folder: string,
  service: Pick<SampleService, 'baseUrl'>,
  { site: { title, url, timeZone }, dealers, media: { widths } }: LoadedConfig,
): string =>
  writeConfigIn(folder, service, {
    site: { title, url, timeZone },
    dealers: dealers.map(({ id, name, slug }) => ({ id, name, slug })),
    media: { widths: [...widths] },
  });

/** Arguments of a build for the configuration, site, cache and report in a folder, or for other files. */
export function argumentsIn(folder: string, change: Record<string, string> = {}): string[] {
  const files = { config: 'config.json', output: 'site', cache: 'cache', report: 'report.json' };
  return Object.entries({ ...files, ...change }).flatMap(([name, file]) => [
    `--${name}`,
    path.resolve(folder, file),
  ]);
}

export interface Build extends RunResult {
  output: string;
  lines: string[];
}

/** One build into a folder, by the production path. */
export async function build(
  config: LoadedConfig,
  folder: string,
  options: Partial<RunOptions> = {},
): Promise<Build> {
  const console = recordingConsole();
  const { output = path.join(folder, 'site') } = options;
  const result = await runBuild({
    config,
    output,
    cacheDir: path.join(folder, 'cache'),
    console,
    ...options,
  });
  return { ...result, output, lines: console.lines };
}

/** A build that succeeds. @throws its error. */
export async function buildSite(...args: Parameters<typeof build>): Promise<Build> {
  const made = await build(...args);
  if (made.error) throw made.error;
  return made;
}

/**
 * Copies a folder with the times of its files. The synchronous call takes a fraction of the CPU time of
 * promises, which dominates tests with many small files.
 */
export function copyFolder(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true });
}

/** All files below a folder with their bytes, by path. Two sites are equal if these maps are. */
export async function readTree(folder: string): Promise<Map<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const names = files.map((entry) =>
    path.relative(folder, path.join(entry.parentPath, entry.name)),
  );
  return new Map(
    names.sort().map((name) => [name, readFileSync(path.join(folder, name), 'latin1')]),
  );
}

/** Writes the files of {@link readTree} below a folder. */
export function putTree(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [name, bytes] of files) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, bytes, 'latin1');
  }
}

/** Files of a site except the one with the confirmation times, which changes every night. */
export async function readSite(folder: string): Promise<Map<string, string>> {
  const files = await readTree(folder);
  files.delete(PUBLISHED_TIMES);
  return files;
}
