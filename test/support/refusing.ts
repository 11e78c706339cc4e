import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { vi } from 'vitest';

/** A file system that refuses some renames or links until its scope ends. */
export function refusing(
  name: 'renameSync' | 'linkSync',
  isRefused: (from: fs.PathLike, to: fs.PathLike) => boolean,
): Disposable {
  const real = fs[name];
  const spy = vi.spyOn(fs, name).mockImplementation((from, to) => {
    if (isRefused(from, to)) throw Object.assign(new Error('refused'), { code: 'EPERM' });
    real(from, to);
  });
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]() {
      spy.mockRestore();
      syncBuiltinESMExports();
    },
  };
}
