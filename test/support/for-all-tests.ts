import { afterAll } from 'vitest';

type Closable = AsyncDisposable | Disposable | { close(): unknown };

/**
 * Opens a resource for all tests of a file and closes it after the last one, in reverse order. Use it at the
 * top of a test file: `const browser = await forAllTests(launchBrowser())`.
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
