import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { holdPort } from '../../src/lib/static-server/server.ts';
import { argumentsIn, readTree, writeConfigIn } from '../support/build.ts';
import { eleventyIn, runCommand, startCommand } from '../support/command.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { commandHere } from '../support/run-here.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 2, images: 1 }));

function inFolder(folder: string) {
  writeConfigIn(folder, service);
  return {
    args: argumentsIn(folder),
    report: async () => JSON.parse(await readFile(path.join(folder, 'report.json'), 'utf8')),
  };
}

describe('npm run build', () => {
  it('publishes, prints a short summary, and writes the report and the job summary', async () => {
    const folder = tempFolder();
    const { args, report } = inFolder(folder);
    writeConfigIn(folder, service, { media: { hosts: ['*'], widths: [160] } });
    const summary = path.join(folder, 'summary.md');
    const ran = await runCommand('build', args, {
      MEDIA_API_KEY: service.mediaKey,
      GITHUB_STEP_SUMMARY: summary,
    });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout.split('\n').length).toBeLessThan(24);
    expect(ran.stdout).toContain('One: 2 vehicles');
    expect(ran.stdout).toContain('media.hosts contains "*"');
    expect(await report()).toMatchObject({ version: 1, outcome: 'published', exitCode: 0 });
    expect(await readFile(summary, 'utf8')).toContain('| One | fresh | 2 |');
    expect(await readFile(path.join(folder, 'site', 'index.html'), 'utf8')).toContain(
      ' – Cars</title>',
    );
  });

  it('loads no module that a build without changes does not need', async () => {
    const folder = tempFolder();
    const { args } = inFolder(folder);
    const hook = pathToFileURL(path.resolve(import.meta.dirname, '../support/loaded-modules.ts'));
    const packages = async (...flags: string[]) => {
      const { exitCode, stdout } = await runCommand('build', [...args, ...flags], {
        MEDIA_API_KEY: service.mediaKey,
        NODE_OPTIONS: `--import ${hook.href}`,
      });
      expect(exitCode).toBe(0);
      return /^packages: (.*)$/m.exec(stdout)?.[1]?.split(' ') ?? [];
    };
    // Without --first, a build looks for a live site until it has found one.
    const first = await packages('--first');
    expect(first).toContain('undici');
    const second = await packages();
    expect(second).toContain('zod');
    const loaded = (all: string[], needless: string[]) =>
      all.filter((name) => needless.includes(name));
    expect(loaded(second, ['esbuild', 'undici', 'sharp', '@11ty/eleventy'])).toEqual([]);
    // A build without a queue and a store does not need their packages.
    expect(loaded([...first, ...second], ['bullmq', 'ioredis', 'aws4fetch'])).toEqual([]);
  });

  it('stores compiled code with the packages for its next run', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
    const [, ...words] = scripts.build.split(' ');
    expect(words.splice(-2)).toEqual(['scripts/run.ts', 'build']);
    const print = ['--print', "require('node:module').getCompileCacheDir()"];
    // Without the environment of tests, which names the folder of the cache.
    const options = { env: { PATH: process.env.PATH } };
    const { stdout } = await promisify(execFile)(process.execPath, [...words, ...print], options);
    expect(stdout).toMatch(/node_modules[\\/]\.cache[\\/]compiled/);
  });

  it('ends although a script of the custom pages left a timer', async () => {
    const folder = tempFolder();
    const { args } = inFolder(folder);
    const script =
      'setInterval(() => {}, 1000);\nexport default () => { throw new Error("Wrong"); };';
    await writeFilesBelow(folder, { 'pages/_data/a.mjs': script, 'pages/a.md': '# A' });
    const env = { MEDIA_API_KEY: service.mediaKey };
    const ran = await runCommand('build', args, env, { timeout: 30_000 });
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Wrong') });
  });

  it('is silent with --quiet', async () => {
    const folder = tempFolder();
    const { args } = inFolder(folder);
    const ran = await commandHere('build', [...args, '--quiet'], {
      MEDIA_API_KEY: service.mediaKey,
    });
    expect(ran).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  it.each([
    ['a missing key', [], {}, 2, 'config-invalid'],
    ['a wrong key', [], { MEDIA_API_KEY: 'not-the-right-key' }, 3, 'service-refused-401'],
    [
      'tracing that would print the key',
      [],
      { MEDIA_API_KEY: 'x-secret-x', NODE_DEBUG: 'undici' },
      2,
      'config-invalid',
    ],
    ['no service', [], { MEDIA_API_KEY: 'not-the-right-key' }, 4, 'service-unreachable'],
    ['a missing configuration', ['--config', '/nowhere/x.json'], {}, 2, 'config-unreadable'],
  ] as const)('%s', async (_, extra, env, exitCode, code) => {
    const folder = tempFolder();
    const { args, report } = inFolder(folder);
    if (code === 'service-unreachable') {
      writeConfigIn(folder, { baseUrl: 'http://127.0.0.1:1' });
    }
    const ran = await commandHere(
      'build',
      extra.length > 0 ? [...args.slice(2), ...extra] : args,
      env,
    );
    expect(ran.exitCode).toBe(exitCode);
    expect(ran.stderr).toContain(`[${code}]`);
    expect(ran.stderr).toContain('  Do:  ');
    expect(ran.stderr).not.toMatch(/^\s+at /m);
    expect(await report()).toMatchObject({ outcome: 'not-published', exitCode, problem: { code } });
    for (const secret of Object.values(env)) {
      if (secret !== 'undici') expect(ran.stdout + ran.stderr).not.toContain(secret);
    }
  });
});

it('npm start serves the sample site on a free port until Ctrl-C ends it', async () => {
  const { port, release } = await holdPort(0);
  const folder = tempFolder();
  const running = startCommand('start', [
    ...['--port', String(port), '--service-port', String(port + 1)],
    ...['--vehicles', '1', '--folder', folder],
  ]);
  try {
    const [, url = ''] = await running.prints(/The site is at (http:\S+)/);
    await running.prints(new RegExp(`Port ${port} is busy, using \\d+`));
    const [, serviceUrl = ''] = await running.prints(/Sample service: (http:\S+)/);
    const front = await fetch(url);
    expect(front.status).toBe(200);
    expect(await front.text()).toContain('Sample Motor Group');
    running.child.kill('SIGINT');
    expect((await running.ended).exitCode).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
    await expect(fetch(serviceUrl)).rejects.toThrow();
  } finally {
    running.child.kill('SIGKILL');
    await release();
  }
});

it('npx eleventy builds the same site, byte for byte, without records', async () => {
  const folder = tempFolder();
  const { args } = inFolder(folder);
  await commandHere('build', args, { MEDIA_API_KEY: service.mediaKey });
  const dry = eleventyIn(folder, service.mediaKey, '--dryrun');
  expect(await dry.ended).toMatchObject({ exitCode: 0 });
  await expect(readTree(dry.output)).rejects.toThrow('ENOENT');
  const { ended, output } = eleventyIn(folder, service.mediaKey);
  expect(await ended).toMatchObject({ exitCode: 0 });
  const built = await readTree(path.join(folder, 'site'));
  const pages = [...built].filter(([file]) => !file.startsWith('api/records/'));
  expect(pages.length).toBeGreaterThan(10);
  expect([...(await readTree(output))]).toEqual(pages);
});
