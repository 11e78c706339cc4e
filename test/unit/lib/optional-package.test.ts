import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { tempFolder } from '../../support/temp-folder.ts';

const MODULE = path.resolve(import.meta.dirname, '../../../src/lib/optional-package.ts');

/** Runs code in a folder without packages above it: Node's import in a separate process. */
async function load(code: string): Promise<{ code?: string; message: string; fix?: string }> {
  const folder = tempFolder();
  const script = path.join(folder, 'run.mjs');
  await writeFile(path.join(folder, 'user.mjs'), code);
  await writeFile(
    script,
    `import { withPackages } from ${JSON.stringify(MODULE)};
    const load = () => import('./user.mjs');
    await withPackages(['bullmq', 'ioredis'], 'A worker', load).catch(({ code, message, fix }) =>
      console.log(JSON.stringify({ code, message, fix })));`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  return JSON.parse(stdout);
}

it.each([
  ['import', "import 'bullmq';"],
  [
    'require',
    "import { createRequire } from 'node:module'; createRequire(import.meta.url)('bullmq');",
  ],
])('a missing package is reported with the command that installs it: %s', async (_, code) => {
  expect(await load(code)).toEqual({
    code: 'package-missing',
    message: 'A worker needs the package bullmq, which is not installed.',
    fix: expect.stringMatching(/npm install bullmq@\^\d+\.\d+\.\d+ ioredis@\^\d+\.\d+\.\d+$/),
  });
});

it('another fault is unchanged', async () => {
  expect((await load("import 'no-such-package';")).message).toContain('no-such-package');
});
