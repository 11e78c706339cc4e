import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { toConfig } from '../../src/setup/init/answers.ts';
import { EXAMPLE } from '../support/example-answers.ts';
import { tempFolder } from '../support/temp-folder.ts';

const run = promisify(execFile);
const here = (name: string) => path.resolve(import.meta.dirname, '..', name);
const HOOK = pathToFileURL(here('support/loaded-modules.ts')).href;
const EXTRA = ['bullmq', 'ioredis', 'aws4fetch'];

/** The packages that a program loads. */
async function packagesOf(script: string, args: string[], env: Record<string, string> = {}) {
  const { QUEUE_URL: _queue, STORE_URL: _store, ...rest } = process.env;
  const { stdout } = await run(process.execPath, ['--import', HOOK, script, ...args], {
    env: { ...rest, ...env },
  }).catch((failed: { stdout: string }) => failed);
  return (stdout.trim().split('\n').at(-1) ?? '').replace('packages: ', '').split(' ');
}
const extraOf = (packages: string[]) => EXTRA.filter((name) => packages.includes(name));

describe('without a queue and a store', () => {
  it('a build loads none of their modules', async () => {
    const folder = tempFolder();
    const packages = await packagesOf(here('../scripts/run.ts'), [
      ...['build', '--config', 'nowhere.json'],
      ...['--report', path.join(folder, 'report.json')],
    ]);
    expect(packages).toContain('zod');
    expect(extraOf(packages)).toEqual([]);
  });

  it('the image pipeline loads none of their modules', async () => {
    const folder = tempFolder();
    const child = here('support/engines-child.ts');
    expect(extraOf(await packagesOf(child, [folder]))).toEqual([]);
    // Control: a configured queue loads its package.
    const queue = { QUEUE_URL: 'unix:///nowhere.sock' };
    expect(extraOf(await packagesOf(child, [folder], queue))).toEqual(['bullmq']);
  });
});

const worker = async (env: Record<string, string>) => {
  const folder = tempFolder();
  const file = path.join(folder, 'site.config.json');
  await writeFile(file, JSON.stringify(toConfig(EXAMPLE)));
  const { QUEUE_URL: _queue, ...rest } = process.env;
  const script = here('../scripts/run.ts');
  const args = [script, 'worker', '--config', file];
  return await run(process.execPath, args, { env: { ...rest, ...env } }).catch(
    (error: { code: number; stderr: string }) => error,
  );
};

it('npm run worker reports a missing setting, and never repeats a URL that may contain a password', async () => {
  expect(await worker({})).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('[worker-no-queue]'),
  });
  const wrong = await worker({ QUEUE_URL: 'http://user:hidden-word@queue.example' });
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('[engines-invalid]') });
  expect(JSON.stringify(wrong)).not.toContain('hidden-word');
});
