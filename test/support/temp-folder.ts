import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, onTestFinished, TestRunner } from 'vitest';

/** A folder that is removed after the test or, outside of tests, after all tests of the file. */
export function tempFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'test-'));
  // A process that was just killed may still be writing.
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  if (TestRunner.getCurrentTest()) onTestFinished(remove);
  else afterAll(remove);
  return folder;
}

/** A separate file system with the given size in kilobytes. Undefined without permission to mount. */
export function smallDisk(folder: string, kilobytes: number): Disposable | undefined {
  if (process.platform !== 'linux') return undefined;
  const size = `size=${kilobytes}k`;
  const made = spawnSync('mount', ['-t', 'tmpfs', '-o', size, 'site-test', folder]);
  if (made.status !== 0) return undefined;
  return { [Symbol.dispose]: () => void spawnSync('umount', ['-l', folder]) };
}
