import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { filesOf } from '../../create/project.js';
import type { BuildReport } from '../../src/publish/report/report.ts';
import type { SampleService, startSampleService } from '../../src/sample-service/server.ts';
import { temporaryFolder } from '../support/build.ts';
import { shell } from '../support/checkout.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { startLasting } from '../support/lasting.ts';
import { NODE_FOLDER } from '../support/project.ts';

const { program, tarball } = inject('packed');
const TOOLS = path.resolve('node_modules/.bin');

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
/** A project that has the package installed, like one of `npm create vehicle-media-site` before init. */
let project: string;
const at = (...names: string[]) => path.join(project, ...names);

interface RunOptions {
  env?: Record<string, string>;
  /** Folders on the PATH. */
  path?: readonly string[];
}

/** Runs a line in a folder. The test fails if the line fails, or if a picture crashed the decoder. */
async function run(
  line: string,
  cwd = project,
  { env = {}, path: search = [NODE_FOLDER] }: RunOptions = {},
): Promise<string> {
  const ran = await shell(line, { cwd, env, path: search });
  const output = `${line}\n${ran.stdout}\n${ran.stderr}`;
  expect(ran, output).toMatchObject({ exitCode: 0 });
  expect(output).not.toMatch(/crashed/i);
  return ran.stdout;
}

/** Texts of the package by their paths there. */
async function texts(pattern: RegExp): Promise<[file: string, text: string][]> {
  const names = (await readdir(program, { recursive: true })).filter((name) => pattern.test(name));
  return Promise.all(
    names.map(async (name) => [name, await readFile(path.join(program, name), 'utf8')] as const),
  ) as Promise<[string, string][]>;
}

beforeAll(async () => {
  folder = await temporaryFolder();
  project = path.join(folder.path, 'project');
  const manager = { name: 'npm', version: '' } as const;
  await writeFilesBelow(project, filesOf({ folder: project, spec: `file:${tarball}`, manager }));
  await run('npm install --no-audit --no-fund');
});
afterAll(() => folder?.[Symbol.asyncDispose]());

describe('the package', () => {
  it('is small', async () => {
    const { size } = await stat(tarball);
    console.log(`Tarball: ${size.toLocaleString('en')} bytes`);
    expect(size).toBeLessThan(1_100_000);
  });

  it('installs little for scheduled builds', async () => {
    const [kilobytes] = (await run('du -sk node_modules')).split('\t');
    console.log(`Installed: ${(Number(kilobytes) / 1000).toFixed(1)} MB`);
    expect(Number(kilobytes) / 1000).toBeLessThan(110);
    // The machine's Node, not an earlier one in the PATH.
    const names = await readdir(at('node_modules'));
    expect(names.filter((name) => /^node-(?:bin-)?(?:linux|darwin|win)/.test(name))).toEqual([]);
  });

  it('passes publint', async () => {
    const bytes = await readFile(tarball);
    const { messages } = await publint({
      pack: { tarball: new Uint8Array(bytes).buffer },
      strict: true,
    });
    // The Dockerfile is for projects: docs/container.md builds with it.
    expect(messages).toMatchObject([
      { code: 'USE_FILES', args: { internalFilePaths: ['/Dockerfile'] } },
    ]);
  });

  it('has correct types for modules and bundlers', () =>
    run(`attw "${tarball}" --profile esm-only`, program, { path: [TOOLS, NODE_FOLDER] }));

  it('references only documentation pages that it contains', async () => {
    const named = (await texts(/\.(?:js|ts|json|yml)$/)).flatMap(([file, text]) =>
      [...text.matchAll(/[\w./-]*\bdocs\/[\w-]+\.md/g)].map(([name]) => `${file}: ${name}`),
    );
    expect(named.length).toBeGreaterThan(20);
    const right = (line: string) => {
      const [, page = ''] = /: node_modules\/vehicle-media-site\/(docs\/.*)$/.exec(line) ?? [];
      return page !== '' && existsSync(path.join(program, page));
    };
    expect(named.filter((line) => !right(line))).toEqual([]);
  });

  it('has no broken link in its documentation', async () => {
    const broken = (await texts(/\.md$/)).flatMap(([file, text]) =>
      [...text.matchAll(/\]\(([^)\s#:]+)(?=[)#])/g)]
        .map(([, target = '']) => path.join(path.dirname(file), target))
        .filter((target) => !existsSync(path.join(program, target)))
        .map((target) => `${file}: ${target}`),
    );
    expect(broken).toEqual([]);
  });
});

describe('an installed program', () => {
  let start: typeof startSampleService;
  let service: SampleService;
  const command = (line: string) =>
    run(`npx vehicle-media-site ${line}`, project, {
      env: { MEDIA_API_KEY: service.mediaKey, BATCH_API_KEY: service.batchKey },
    });
  const here = () => ({ cwd: project, env: {}, path: [NODE_FOLDER] });
  const report = async (): Promise<BuildReport> =>
    JSON.parse(await readFile(at('build-report.json'), 'utf8'));
  const configure = ({ baseUrl, data }: SampleService, accounts?: object[]) =>
    writeFile(
      at('site.config.ts'),
      `import { defineConfig, type UserConfig } from 'vehicle-media-site/config';

const config: UserConfig = ${JSON.stringify({
        service: { baseUrl },
        site: { title: 'Our Cars', url: 'https://cars.test' },
        dealers: data.dealers.map(({ id, name }) => ({ id, name, slug: `dealer-${id}` })),
        ...(accounts && { accounts }),
        media: { widths: [160] },
      })};

export default defineConfig(config);
`,
    );

  beforeAll(async () => {
    // The sample service of the installed program, within this process.
    const file = at('node_modules/vehicle-media-site/src/sample-service/server.js');
    ({ startSampleService: start } = await import(/* @vite-ignore */ pathToFileURL(file).href));
    service = await start({ dealers: 3, vehicles: 2, images: 2, pictureScale: 0.25 });
  });
  afterAll(() => service?.[Symbol.asyncDispose]());

  it('uses a theme and custom pages with a configuration in TypeScript', async () => {
    await configure(service);
    await writeFilesBelow(project, {
      'eleventy.config.ts': `interface Config {
  addFilter(name: string, filter: (text: string) => string): void;
}
export default (config: Config) => config.addFilter('loud', (text: string) => text.toUpperCase());
`,
      'pages/_data/hours.json': '"08:30 to 18:00"',
      'pages/about.njk':
        '---\ntitle: About us\n---\n{% extends "layouts/base.njk" %}{% block content %}<h1>{{ page_.heading }}</h1><p>{{ "open" | loud }} {{ hours }}: {{ vehicles.length }} cars</p>{% endblock %}',
      'theme/partials/foot.njk': '<a href="{{ site.home }}about/">About us</a>',
    });
    await command('build --first');
    expect(await readFile(at('_site/about/index.html'), 'utf8')).toContain(
      '<p>OPEN 08:30 to 18:00: 6 cars</p>',
    );
    expect(await readFile(at('_site/index.html'), 'utf8')).toMatch(/about\/">About us<\/a>/);
    expect((await report()).media).toMatchObject({ failed: 0 });
    const line = 'npx vehicle-media-site preview --port 0';
    await using preview = await startLasting(line, /The site is at (http:\S+)/, here());
    expect(await (await fetch(preview.address)).text()).toContain('About us');
    for (const name of ['eleventy.config.ts', 'pages', 'theme', '_site'])
      await rm(at(name), { recursive: true });
  });

  it('includes the sample service', async () => {
    const line = 'npx vehicle-media-site service --port 0';
    await using sample = await startLasting(line, /Sample service: (http:\S+)/, here());
    expect((await fetch(`${sample.address}/openapi.json`)).status).toBe(200);
  });

  it('pulls batches and exports them', async () => {
    const [account] = service.data.accounts;
    if (!account) throw new Error('no account');
    const { customerId, pathId } = account;
    await configure(service, [{ name: 'north', customerId, pathId, daysOfHistory: 30 }]);
    expect(await command('batches pull')).toContain('north');
    await command('batches export --format csv --pii full --output batches.csv');
    const lines = (await readFile(at('batches.csv'), 'utf8')).trim().split(/\r?\n/);
    expect(lines.length).toBeGreaterThan(5);
  });

  it.skipIf(process.platform !== 'linux' || availableParallelism() < 2)(
    'builds with several processes (seen in /proc)',
    async () => {
      // The first four dealers are one full chunk. Then another process takes the next one.
      await using many = await start({ dealers: 5, vehicles: 126, images: 1 });
      many.data.dealers.at(-1)?.vehicles.splice(10);
      for (const { vehicles } of many.data.dealers) {
        for (const vehicle of vehicles) vehicle.mediaList = [];
      }
      await configure(many);
      const entry = at('node_modules/vehicle-media-site/src/publish/processes/worker-process.js');
      let seen = false;
      let done = false;
      const built = command('build --first --output many --cache many.cache').finally(() => {
        done = true;
      });
      const watched = (async () => {
        while (!done && !seen) {
          seen = commandLines().some((line) => line.includes(entry));
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })();
      await Promise.all([built, watched]);
      expect(seen).toBe(true);
      const { pages, dealers } = await report();
      expect(pages).toBeGreaterThan(4 * 126 + 10);
      expect(dealers).toHaveLength(5);
    },
  );
});

describe('a project that imports from the package', () => {
  beforeAll(async () => {
    await run(
      `cp -R --parents node_modules/@types/node node_modules/undici-types "${project}"`,
      path.resolve('.'),
    );
  });

  it.each([
    { module: 'nodenext', moduleResolution: 'nodenext' },
    { module: 'esnext', moduleResolution: 'bundler' },
  ])('has types that compile with $moduleResolution, including libraries', async (options) => {
    const files = {
      'types/tsconfig.json': JSON.stringify({
        compilerOptions: {
          ...options,
          target: 'es2024',
          lib: ['es2024', 'dom'],
          types: ['node'],
          strict: true,
          skipLibCheck: false,
          noEmit: true,
        },
      }),
      'types/index.ts': `import { defineConfig, type UserConfig } from 'vehicle-media-site/config';
import * as contract from 'vehicle-media-site/contract';
import eleventy, { type SiteViews, type VehicleView } from 'vehicle-media-site/eleventy';

const config: UserConfig = {
  service: { baseUrl: 'https://media.test' },
  site: { title: 'Our Cars', url: 'https://cars.test' },
};
export default defineConfig(config);
// @ts-expect-error The types are real: there is no such setting.
defineConfig({ ...config, nonsense: true });
export const count = ({ vehicles }: SiteViews): number => vehicles.length;
export const first = ({ vehicles }: SiteViews): VehicleView | undefined => vehicles[0];
export const vehicle = contract.vehicleMediaRecordSchema.parse({}).vrm satisfies string;
export const plugin: unknown = eleventy;
`,
    };
    await writeFilesBelow(project, files);
    await run('tsc -p types', project, { path: [TOOLS, NODE_FOLDER] });
  });
});

function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        // It has ended in the meantime.
        return '';
      }
    });
}
