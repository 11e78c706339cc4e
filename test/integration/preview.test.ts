import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { argumentsIn, writeConfigIn } from '../support/build.ts';
import { startCommand } from '../support/command.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { runHere } from '../support/run-here.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 10, images: 1 }));
const env = { MEDIA_API_KEY: service.mediaKey };

function settingsIn(folder: string, url = 'https://cars.example'): string[] {
  writeConfigIn(folder, service, { site: { title: 'Cars', url } });
  return argumentsIn(folder);
}

it('a build prints the folder of the site, and npm run preview serves it below the path of its URL', async () => {
  const folder = tempFolder();
  const args = settingsIn(folder, 'https://group.example/cars');
  const site = path.join(folder, 'site');
  const built = await runHere(['build', ...args], { env });
  expect(built, built.stderr).toMatchObject({ exitCode: 0 });
  const last = built.stdout.trimEnd().split('\n').at(-1) ?? '';
  const shown = path.relative(process.cwd(), site);
  expect(last).toBe(
    `Not deployed (docs/hosting.md). Next, look at it: npm run preview -- --output ${shown}`,
  );
  const [, command = ''] = /npm run preview -- (.*)$/.exec(last) ?? [];
  const running = startCommand('preview', [...command.split(' '), '--port', '0']);
  try {
    const [, address = ''] = await running.prints(/The site is at (http:\S+)/);
    expect(new URL(address).pathname).toBe('/cars/');
    const front = await (await fetch(address)).text();
    expect(front).toBe(await readFile(path.join(site, 'index.html'), 'utf8'));
    // The files referenced by the page exist.
    const [, style = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(front) ?? [];
    const asset = await fetch(new URL(style, address));
    expect(asset.status).toBe(200);
    expect(asset.headers.get('content-type')).toContain('text/css');
    expect((await fetch(address)).headers.get('content-security-policy')).toContain('default-src');
    const missing = await fetch(`${address}nowhere/`);
    expect([missing.status, await missing.text()]).toEqual([
      404,
      await readFile(path.join(site, '404.html'), 'utf8'),
    ]);
  } finally {
    running.child.kill('SIGINT');
  }
  expect(await running.ended).toMatchObject({ exitCode: 0, stderr: '' });
});

it.each([
  ['is missing', async () => {}, 'does not exist'],
  [
    'belongs to another program',
    async (folder: string) => writeFile(path.join(folder, 'index.html'), '<h1>mine</h1>'),
    'It has no 404.html',
  ],
])('npm run preview reports a folder that %s', async (name, fill, why) => {
  const folder = tempFolder();
  const site = path.join(folder, 'site');
  if (name !== 'is missing') await mkdir(site);
  await fill(site);
  const ran = await runHere(['preview', '--output', site]);
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ran.stderr).toContain('[preview-no-site]');
  expect(ran.stderr).toMatch(new RegExp(why, 'i'));
});

it('a held dealer is reported with the next command, and a stopped build reports nothing as fresh', async () => {
  const folder = tempFolder();
  const args = settingsIn(folder);
  const fresh = await runHere(['build', ...args], { env });
  expect(fresh).toMatchObject({ exitCode: 0 });
  expect(fresh.stdout + fresh.stderr).toMatch(/^One: 10 vehicles$/m);
  const clear = service.faults.set({ route: 'media', body: '[]' });
  const held = await runHere(['build', ...args], { env });
  clear();
  expect(held).toMatchObject({ exitCode: 0 });
  expect(held.stdout + held.stderr).toMatch(/^One: 10 vehicles \(held\)$/m);
  const lines = held.stdout.split('\n').filter((line) => line.includes('--accept-loss'));
  expect(lines).toHaveLength(2);
  const [, token = ''] =
    /once, or start the workflow, with --accept-loss (\S+)$/.exec(lines[1] ?? '') ?? [];
  expect(token).toMatch(/^one@[0-9a-f]{12}$/);

  const other = tempFolder();
  service.faults.set({ route: 'picture', status: 404 });
  const stopped = await runHere(['build', ...settingsIn(other)], { env });
  service.faults.clear();
  expect(stopped).toMatchObject({ exitCode: 5 });
  expect(stopped.stdout).toMatch(/One: 10 vehicles, \d+ pictures, \d+ videos – accepted/);
  expect(stopped.stdout).not.toMatch(/fresh|Next,/);
});

// npm forwards it to its shell, and most shells end without forwarding it to the command.
it.skipIf(process.platform === 'win32')('ends after a SIGTERM to npm', async () => {
  const shell = { within: ['sh', '-c', '"$@"; exit', '-'] };
  const npm = { npm_lifecycle_event: 'service' };
  const running = startCommand('service', ['--port', '0'], npm, shell);
  await running.prints(/Ctrl-C stops it/);
  running.child.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ stderr: '' });
});
