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
