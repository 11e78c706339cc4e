import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { type BrowserHome, findBrowser } from './browser-home.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Command that starts the browser, or the reason why it cannot start. */
    browser: BrowserHome | { missing: string };
    /** A folder deleted at the end of the run. */
    folder: string;
  }
}

/** Finds the browser once for all test files, and makes a folder that is deleted at the end of the run. */
export default async function setup(project: TestProject) {
  const folder = await mkdtemp(path.join(tmpdir(), 'run-'));
  project.provide('folder', folder);
  try {
    project.provide('browser', await findBrowser());
  } catch (error) {
    // Tests that need it report this error, the others run.
    project.provide('browser', { missing: (error as Error).message });
  }
  return () => rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
