import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';

// Rooted CI containers have no user namespaces for the sandbox; pages under test are our own.
const ARGUMENTS = ['--no-sandbox', '--disable-quic', '--disable-background-networking'];

/** Starts the real browser. Fails, never skips, where the machine cannot start it. */
export async function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  const home = inject('browser');
  if ('missing' in home) throw new Error(home.missing);
  return chromium.launch({
    executablePath: home.executablePath,
    args: [...ARGUMENTS, ...more],
    env: { ...process.env, ...home.env } as Record<string, string>,
  });
}
