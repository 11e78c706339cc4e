import { afterAll } from 'vitest';

type Closable = AsyncDisposable | Disposable | { close(): unknown };

/**
 * Opens what all tests of a file use, and closes it after the last of them; what was opened last is
 * closed first. For the top of a test file: `const browser = await forAllTests(launchBrowser())`.
 */
export async function forAllTests<T extends Closable>(opening: Promise<T>): Promise<T> {
  const opened = await opening;
  afterAll(async () => {
    if (Symbol.asyncDispose in opened) await opened[Symbol.asyncDispose]();
    else if (Symbol.dispose in opened) opened[Symbol.dispose]();
    else await opened.close();
  });
  return opened;
}
