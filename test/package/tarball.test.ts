import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { temporaryFolder } from '../support/build.ts';
import { shell } from '../support/checkout.ts';
import { NODE_FOLDER } from '../support/project.ts';

const { program, tarball } = inject('packed');
const TOOLS = path.resolve('node_modules/.bin');

async function run(line: string, cwd: string): Promise<string> {
  const ran = await shell(line, { cwd, path: [TOOLS, NODE_FOLDER] });
  expect(ran, `${line}\n${ran.stdout}\n${ran.stderr}`).toMatchObject({ exitCode: 0 });
  return ran.stdout;
}

/** Texts of the package by their paths there. */
async function texts(pattern: RegExp): Promise<[file: string, text: string][]> {
  const names = (await readdir(program, { recursive: true })).filter((name) => pattern.test(name));
  return Promise.all(
    names.map(async (name) => [name, await readFile(path.join(program, name), 'utf8')] as const),
  ) as Promise<[string, string][]>;
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
/** A project that has the package installed. */
let project: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  project = path.join(folder.path, 'project');
  await mkdir(path.join(project, 'src'), { recursive: true });
  const manifest = {
    private: true,
    type: 'module',
    dependencies: { 'vehicle-media-site': `file:${tarball}` },
  };
  await writeFile(path.join(project, 'package.json'), JSON.stringify(manifest));
  await run('npm install --no-audit --no-fund', project);
});
afterAll(() => folder?.[Symbol.asyncDispose]());

describe('the package', () => {
  it('is small', async () => {
    const { size } = await stat(tarball);
    console.log(`Tarball: ${size.toLocaleString('en')} bytes`);
    expect(size).toBeLessThan(1_100_000);
  });

  it('installs little for scheduled builds', async () => {
    const [kilobytes] = (await run('du -sk node_modules', project)).split('\t');
    console.log(`Installed: ${(Number(kilobytes) / 1000).toFixed(1)} MB`);
    expect(Number(kilobytes) / 1000).toBeLessThan(110);
    // The machine's Node, not an earlier one in the PATH.
    const names = await readdir(path.join(project, 'node_modules'));
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
    run(`attw "${tarball}" --profile esm-only`, program));

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

describe('a project that imports from the package', () => {
  beforeAll(async () => {
    const { version } = JSON.parse(await readFile('node_modules/@types/node/package.json', 'utf8'));
    await run(`npm install --no-save @types/node@${version}`, project);
  });

  it.each([
    { module: 'nodenext', moduleResolution: 'nodenext' },
    { module: 'esnext', moduleResolution: 'bundler' },
  ])('has types that compile with $moduleResolution, including libraries', async (options) => {
    const at = (name: string) => path.join(project, name);
    const files = {
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          ...options,
          target: 'es2024',
          lib: ['es2024', 'dom'],
          types: ['node'],
          strict: true,
          skipLibCheck: false,
          noEmit: true,
        },
        include: ['src'],
      }),
      'src/index.ts': `import { defineConfig, type UserConfig } from 'vehicle-media-site/config';
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
    for (const [name, text] of Object.entries(files)) await writeFile(at(name), text);
    await run('tsc -p .', project);
  });
});
