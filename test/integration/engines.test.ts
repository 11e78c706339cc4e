import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { toConfig } from '../../src/setup/init/answers.ts';
import { EXAMPLE } from '../support/example-answers.ts';
import { runHere } from '../support/run-here.ts';
import { tempFolder } from '../support/temp-folder.ts';

it('npm run worker reports a missing setting, and never repeats a URL that may contain a password', async () => {
  const file = path.join(tempFolder(), 'site.config.json');
  await writeFile(file, JSON.stringify(toConfig(EXAMPLE)));
  const worker = (env: Record<string, string>) => runHere(['worker', '--config', file], { env });
  expect(await worker({})).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('[worker-no-queue]'),
  });
  const wrong = await worker({ QUEUE_URL: 'http://user:hidden-word@queue.example' });
  expect(wrong).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('[engines-invalid]'),
  });
  expect(JSON.stringify(wrong)).not.toContain('hidden-word');
});
