import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, inject } from 'vitest';
import { filesOf } from '../../create/project.js';
import type { BuildReport } from '../../src/publish/report/report.ts';
import type { SampleService } from '../../src/sample-service/index.ts';
import { shell } from './checkout.ts';
import { NODE_FOLDER } from './project.ts';

/** A project with the packed program. */
export interface Installed {
  folder: string;
  /** Folders on the PATH of its commands. */
  path: string[];
  /**
   * Runs a line there. The test fails on any other exit code than `exitCode`, and if a picture crashed the
   * decoder.
   */
  run(line: string, options?: { env?: Record<string, string>; exitCode?: number }): Promise<string>;
  /** Report of the last build. */
  report(file?: string): Promise<BuildReport>;
  /** The sample service of the installed program, within this process. */
  startService: typeof import('../../src/sample-service/index.ts').startSampleService;
}

/** Installs the tarball into an empty folder, like `npm create vehicle-media-site` before init. */
export async function installedProject(folder: string): Promise<Installed> {
  const run: Installed['run'] = async (line, { env = {}, exitCode = 0 } = {}) => {
    const ran = await shell(line, { cwd: folder, env, path: search });
    const output = `${line}\n${ran.stdout}\n${ran.stderr}`;
    expect(ran, output).toMatchObject({ exitCode });
    expect(output).not.toMatch(/crashed/i);
    return ran.stdout;
  };
  const search = [NODE_FOLDER];
  await mkdir(folder, { recursive: true });
  const files = filesOf({
    folder,
    spec: `file:${inject('packed').tarball}`,
    manager: { name: 'npm', version: '' },
  });
  for (const [file, text] of Object.entries(files)) await writeFile(path.join(folder, file), text);
  await run('npm install');
  const service = path.join(folder, 'node_modules/vehicle-media-site/src/sample-service/index.js');
  return {
    folder,
    path: search,
    run,
    report: async (file = 'build-report.json') =>
      JSON.parse(await readFile(path.join(folder, file), 'utf8')),
    startService: (await import(/* @vite-ignore */ pathToFileURL(service).href)).startSampleService,
  };
}

/** `site.config.ts` of a project with the dealers of a service. */
export const configText = (
  { baseUrl, data }: SampleService,
  more: { site?: object; accounts?: object[] } = {},
): string => `import { defineConfig, type UserConfig } from 'vehicle-media-site/config';

const config: UserConfig = ${JSON.stringify({
  service: { baseUrl },
  site: { title: 'Our Cars', url: 'https://cars.test', ...more.site },
  dealers: data.dealers.map(({ id, name }) => ({ id, name, slug: `dealer-${id}` })),
  ...(more.accounts && { accounts: more.accounts }),
  media: { widths: [160] },
})};

export default defineConfig(config);
`;
