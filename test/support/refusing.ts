import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { vi } from 'vitest';

/** A file system with another function until its scope ends. @param change receives the real function. */
export function replacing<N extends 'renameSync' | 'linkSync' | 'readFileSync'>(
  name: N,
  change: (real: (typeof fs)[N]) => (...args: never[]) => unknown,
): Disposable {
  const changed = change(fs[name]);
  const spy = vi.spyOn(fs, name).mockImplementation(changed as never);
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]() {
      spy.mockRestore();
      syncBuiltinESMExports();
    },
  };
}

/** A file system that refuses some renames or links until its scope ends. */
export const refusing = (
  name: 'renameSync' | 'linkSync',
  isRefused: (from: fs.PathLike, to: fs.PathLike) => boolean,
): Disposable =>
  replacing(name, (real) => (from: fs.PathLike, to: fs.PathLike) => {
    if (isRefused(from, to)) throw Object.assign(new Error('refused'), { code: 'EPERM' });
    real(from, to);
  });
