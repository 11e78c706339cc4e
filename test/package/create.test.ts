import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { startSampleService } from '../../src/sample-service/server.ts';
import { readTree, temporaryFolder } from '../support/build.ts';
import { shell } from '../support/checkout.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { NODE_FOLDER } from '../support/project.ts';
import { startRegistry } from '../support/registry.ts';

/** Package managers, and the packages that provide them. The lane first-day begins with `npm create`. */
const MANAGERS = [
  { name: 'pnpm', from: 'pnpm@12.21.0', lock: 'pnpm-lock.yaml' },
  { name: 'yarn', from: '@yarnpkg/cli-dist@4.18.1', lock: 'yarn.lock' },
] as const;

const folder = await forAllTests(temporaryFolder());
const service = await forAllTests(
  startSampleService({ dealers: 1, vehicles: 3, images: 2, pictureScale: 0.25 }),
);
const registry = await forAllTests(startRegistry(folder.path));
const { program, create } = inject('packed');
await registry.publish(program);
await registry.publish(create);

describe.each(MANAGERS)('$name create vehicle-media-site', ({ name, from, lock }) => {
  const at = (...names: string[]) => path.join(folder.path, name, ...names);
  const tools = () => path.join(folder.path, `${name}-itself`);
  const run = async (line: string, cwd: string, env: Record<string, string> = {}) => {
    const ran = await shell(line, {
      cwd,
      env: {
        ...registry.env,
        // Separate caches and stores, so that no earlier version is used.
        HOME: at(),
        GIT_CONFIG_GLOBAL: at('gitconfig'),
        ...env,
      },
      path: [path.join(tools(), 'node_modules/.bin'), NODE_FOLDER],
    });
    expect(ran, `${line}\n${ran.stdout}\n${ran.stderr}`).toMatchObject({ exitCode: 0 });
    expect(ran.stdout + ran.stderr).not.toContain(service.mediaKey);
    return ran.stdout;
  };

  beforeAll(async () => {
    await mkdir(at(), { recursive: true });
    await mkdir(tools());
    await run(`npm install --silent --prefix . ${from}`, tools());
    await run(
      'git config --global user.name A && git config --global user.email a@cars.test',
      at(),
    );
  });

  it('creates a working project in a repository without the key', async () => {
    const flags = `--service "${service.baseUrl}" --url https://cars.test --dealer "7001=Our Cars" --ci none`;
    const line = `${name} create vehicle-media-site@latest my-site ${flags}`;
    const printed = await run(line, at(), { MEDIA_API_KEY: service.mediaKey });
    expect(printed).toContain('[company-details-missing]');
    expect(printed).toContain('0 errors, 1 warning. A build can run.');
    const next = ['  cd my-site', `  ${name} run dev `, `  ${name} run build `];
    for (const command of next) expect(printed).toContain(`\n${command}`);
    const tracked = await run('git ls-files', at('my-site'));
    for (const file of ['site.config.ts', 'package.json', lock]) {
      expect(tracked.split('\n')).toContain(file);
    }
    expect(await run('git status --short', at('my-site'))).toBe('');
    expect(tracked).not.toMatch(/^\.env$|node_modules/m);
    expect(await readFile(at('my-site/.env'), 'utf8')).toContain(service.mediaKey);
  });

  it('creates working scripts', async () => {
    await run(`${name} run build`, at('my-site'));
    const report = JSON.parse(await readFile(at('my-site/build-report.json'), 'utf8'));
    expect(report.media).toMatchObject({ failed: 0 });
    expect(report.media.outputsMade).toBeGreaterThan(0);
    const pages = [...(await readTree(at('my-site/_site'))).keys()];
    for (const { vrm } of service.data.dealers[0]?.vehicles ?? []) {
      const file = `our-cars/${vrm.toLowerCase().replaceAll(' ', '')}/index.html`;
      expect(pages).toContain(file);
    }
    expect(await run('git status --short', at('my-site'))).toBe('');
  });
});
