import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { type BrowserHome, findBrowser } from './browser-home.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** How to start the browser, or why it cannot be started. */
    browser: BrowserHome | { missing: string };
    /** A folder that goes when the run ends. */
    folder: string;
  }
}

/** Unpacks the browser once for all test files, into a folder that goes when the run ends. */
export default async function setup(project: TestProject) {
  const folder = await mkdtemp(path.join(tmpdir(), 'browser-'));
  project.provide('folder', folder);
  try {
    project.provide('browser', await findBrowser(folder));
  } catch (error) {
    // Reported by the tests that need it: they fail with this message, the others run.
    project.provide('browser', { missing: (error as Error).message });
  }
  return () => rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
