import { existsSync } from 'node:fs';

/**
 * Exchanges two folders in one step of the kernel, so that there is no moment without a published
 * site. Node has no call for it; koffi, where it is installed, makes the system's own:
 * `renameat2(RENAME_EXCHANGE)` on Linux (renameat2(2)), `renamex_np(RENAME_SWAP)` on macOS
 * (rename(2)).
 *
 * @returns false where this system or file system cannot; nothing was changed then.
 */
export async function exchange(one: string, other: string): Promise<boolean> {
  if (!existsSync(one) || !existsSync(other)) return false;
  try {
    const { default: koffi } = await import('koffi');
    const system = koffi.load(null);
    if (process.platform === 'linux') {
      const AT_FDCWD = -100;
      const RENAME_EXCHANGE = 2;
      const call = system.func(
        'int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags)',
      );
      return call(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) === 0;
    }
    if (process.platform === 'darwin') {
      const RENAME_SWAP = 2;
      const call = system.func(
        'int renamex_np(const char *from, const char *to, unsigned int flags)',
      );
      return call(one, other, RENAME_SWAP) === 0;
    }
  } catch {
    // No koffi for this platform, or a C library without the call: the caller has another way.
  }
  return false;
}
