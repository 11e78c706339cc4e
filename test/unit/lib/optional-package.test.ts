import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { withPackages } from '../../../src/lib/optional-package.ts';
import { temporaryFolder } from '../../support/build.ts';

/** Code in a folder that no packages lie above. */
async function lacking(code: string) {
  const folder = await temporaryFolder();
  const file = path.join(folder.path, 'user.mjs');
  await writeFile(file, code);
  return { ...folder, load: () => import(/* @vite-ignore */ file) as Promise<unknown> };
}

it.each([
  ['import', "import 'bullmq';"],
  [
    'require',
    "import { createRequire } from 'node:module'; createRequire(import.meta.url)('bullmq');",
  ],
])('a package that is not installed is named, with what to type: %s', async (_, code) => {
  await using user = await lacking(code);
  await expect(withPackages(['bullmq', 'ioredis'], 'A worker', user.load)).rejects.toMatchObject({
    code: 'package-missing',
    exitCode: 2,
    message: 'A worker needs the package bullmq, which is not installed.',
    fix: expect.stringMatching(/npm install bullmq@\^\d+\.\d+\.\d+ ioredis@\^\d+\.\d+\.\d+$/),
  });
});

it('another fault stays what it is', async () => {
  await using user = await lacking("import 'no-such-package';");
  await expect(withPackages(['bullmq'], 'A worker', user.load)).rejects.toThrow('no-such-package');
});
