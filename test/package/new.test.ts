import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SampleService, startSampleService } from '../../src/sample-service/server.ts';
import { temporaryFolder } from '../support/build.ts';
import { freshClone, shell } from '../support/checkout.ts';
import { customPagesExample } from '../support/custom-pages.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { startLasting } from '../support/lasting.ts';
import { NODE_FOLDER } from '../support/project.ts';

const MANAGERS = [
  { name: 'npm', lock: 'package-lock.json', ci: 'npm ci', build: 'npm run build' },
  {
    name: 'pnpm',
    lock: 'pnpm-lock.yaml',
    ci: 'pnpm install --frozen-lockfile',
    build: 'pnpm run build',
  },
] as const;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: SampleService;
let page: string;
const at = (...names: string[]) => path.join(folder.path, ...names);

/** Runs a line as a user with a name for commits. npm runs on this machine's Node of any version. */
async function run(line: string, cwd: string, env: Record<string, string> = {}, exitCode = 0) {
  const ran = await shell(line, {
    cwd,
    env: { GIT_CONFIG_GLOBAL: at('gitconfig'), GIT_CONFIG_NOSYSTEM: '1', ...env },
    path: `${cwd} ${line}`.includes('pnpm') ? pnpmPath() : [],
  });
  expect(ran, `${line}\n${ran.stdout}\n${ran.stderr}`).toMatchObject({ exitCode });
  expect(ran.stdout + ran.stderr).not.toContain(service.mediaKey);
  return ran.stdout + ran.stderr;
}
const pnpmPath = () => [at('tools/node_modules/.bin'), NODE_FOLDER];

const key = () => ({ MEDIA_API_KEY: service.mediaKey });

beforeAll(async () => {
  folder = await temporaryFolder();
  service = await startSampleService({ dealers: 1, vehicles: 3, images: 2, pictureScale: 0.25 });
  const [vehicle] = service.data.dealers[0]?.vehicles ?? [];
  page = `our-cars/${vehicle?.vrm.toLowerCase().replaceAll(' ', '')}/`;
  await writeFile(at('gitconfig'), '[user]\n  name = A\n  email = a@cars.test\n');
  await mkdir(at('tools'));
  await run(`npm install --silent --prefix . pnpm@12.21.0`, at('tools'));
  await freshClone(at('clone'), 'linked');
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

describe.each(MANAGERS)('npm run new with $name', ({ name, lock, ci, build }) => {
  const site = () => at(`${name}-site`);
  const create = (more = '', env: Record<string, string> = {}, exitCode = 0) =>
    run(`npm run new -- ../${name}-site ${more} 2>&1`, at('clone'), env, exitCode);
  const vendored = () => readdir(path.join(site(), 'vendor'));
  const status = () => run('git status --short', site());
  /** Another machine. */
  const clone = `${name}-elsewhere`;
  /** Steps that do not depend on the package manager. */
  const onlyNpm = it.runIf(name === 'npm');
  let first: string[];

  it('creates a project from this clone with vendor/ in its repository', async () => {
    await mkdir(site());
    // Templates of repository hosts ignore both.
    await writeFile(path.join(site(), '.gitignore'), '*.tgz\nvendor/\n');
    const flags = `--package-manager ${name} --service "${service.baseUrl}" --url https://cars.test --dealer "7001=Our Cars" --ci none`;
    const start = performance.now();
    const output = await create(flags, key());
    console.log(`npm run new, ${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
    expect(output).toContain('0 errors');
    expect(output).toContain(`\n  cd ../${name}-site\n  ${name} run dev `);
    first = await vendored();
    expect(first).toEqual([
      expect.stringMatching(/^vehicle-media-site-\d+\.\d+\.\d+-[0-9a-f]{12}\.tgz$/),
    ]);
    const tracked = (await run('git ls-files', site())).split('\n');
    expect(tracked).toEqual(
      expect.arrayContaining([`vendor/${first[0]}`, lock, 'package.json', 'site.config.ts']),
    );
    expect(tracked).not.toContain('.env');
    expect(await status()).toBe('');
  });

  onlyNpm('shows a vehicle after the next commands of the README', async () => {
    const readme = await readFile('README.md', 'utf8');
    expect(readme).toContain('```sh\nnpm run new -- ../my-site\ncd ../my-site\nnpm run dev\n```\n');
    await using running = await startLasting(
      `cd ../${name}-site && ${name} run dev`,
      /The site is at (http:\S+)/,
      { cwd: at('clone'), env: {}, path: [] },
    );
    const response = await fetch(new URL(page, running.address));
    expect(response.status).toBe(200);
  });

  it('builds in a fresh clone of the project, installed by the lockfile', async () => {
    await run(`git clone --quiet ${name}-site ${clone}`, folder.path);
    await run(ci, at(clone), { CI: 'true' });
    // Each job of a CI starts without the cache of compiled code, so writing it would only take time.
    const compiled = at(clone, 'node_modules/.cache/vehicle-media-site/compiled');
    await run(build, at(clone), { ...key(), CI: 'true' });
    expect(existsSync(compiled)).toBe(false);
    await run(build, at(clone), { ...key(), CI: '' });
    expect(existsSync(compiled)).toBe(true);
    expect(await readFile(at(clone, '_site', page, 'index.html'), 'utf8')).toContain('<h1');
  });

  onlyNpm('builds with the example of docs/extending.md', async () => {
    await writeFilesBelow(at(clone), await customPagesExample());
    await run(build, at(clone), key());
    expect(await readFile(at(clone, '_site/about/index.html'), 'utf8')).toContain('Saturday');
  });

  onlyNpm('changes nothing if this clone is unchanged', async () => {
    expect(await create()).toContain('already had this version');
    expect(await vendored()).toEqual(first);
    expect(await status()).toBe('');
  });

  onlyNpm('keeps the previous version if the new one cannot be installed', async () => {
    await appendFile(at('clone/CHANGELOG.md'), `\nA change for ${name} that fails.\n`);
    const broken = at(`no-${name}`);
    await mkdir(broken);
    await writeFile(
      path.join(broken, name),
      `#!/bin/sh\n[ "$1" = install ] || exec "${(await run(`command -v ${name}`, at('tools'))).trim()}" "$@"\necho broken > ${lock}\nexit 1\n`,
      { mode: 0o755 },
    );
    const line = `npm run new -- ../${name}-site 2>&1`;
    const real = (await run('command -v npm', at('clone'))).trim();
    expect(
      await run(`PATH="${broken}:$PATH" "${real}" ${line.slice(4)}`, at('clone'), {}, 2),
    ).toContain('[new-not-installed]');
    expect(await vendored()).toEqual(first);
    expect(await status()).toBe('');
  });

  onlyNpm('updates the project and keeps the files of the user', async () => {
    await appendFile(at('clone/CHANGELOG.md'), `\nA change for ${name}.\n`);
    const userFiles = ['site.config.ts', 'theme/assets/theme.css', 'README.md', 'vendor/mine.txt'];
    for (const file of userFiles) await appendFile(path.join(site(), file), '\n/* mine */\n');
    await run('git add --all && git commit --quiet -m Mine', site());
    const output = await create();
    expect(output).toContain(`git add package.json ${lock} vendor`);
    const [now, ...others] = (await vendored()).filter((file) => file !== 'mine.txt');
    expect(others).toEqual([]);
    expect(first).not.toContain(now);
    const changed = (await status()).trim().split(/\n */).sort();
    expect(changed).toEqual(
      [`?? vendor/${now}`, `D vendor/${first[0]}`, `M ${lock}`, 'M package.json'].sort(),
    );
    await run(`git add package.json ${lock} vendor && git commit --quiet -m Update`, site());
    expect(await status()).toBe('');
    const installed = path.join(site(), 'node_modules/vehicle-media-site/CHANGELOG.md');
    expect(await readFile(installed, 'utf8')).toContain(`A change for ${name}.`);
    // Other machines install exactly this file.
    const bytes = await readFile(path.join(site(), `vendor/${now}`));
    const { packages } = JSON.parse(await readFile(path.join(site(), lock), 'utf8'));
    expect(packages['node_modules/vehicle-media-site']).toMatchObject({
      resolved: `file:vendor/${now}`,
      integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
    });
    // The user compares copies of templates, as in docs/upgrading.md.
    await run('npm run theme -- copy partials/icons.njk', site());
    await appendFile(path.join(site(), 'theme/partials/icons.njk'), '{# mine #}');
    const line = /git diff --no-index .*/.exec(await readFile('docs/upgrading.md', 'utf8'))?.[0];
    expect(await run(line ?? '', site(), {}, 1)).toContain('+{# mine #}');
  });
});
