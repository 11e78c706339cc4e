import type { Browser } from 'playwright-core';
import { inject } from 'vitest';
import { startBrowser } from './browser-home.ts';

/** Starts the real browser. Fails, never skips, if the machine cannot start it. */
export async function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  const home = inject('browser');
  if ('missing' in home) throw new Error(home.missing);
  return startBrowser(home, more);
}
