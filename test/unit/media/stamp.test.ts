import fs, { mkdtempSync, rmSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stampOf } from '../../../src/media/store/stamp.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'stamp-'));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(folder, { recursive: true, force: true });
});

/** Looks at something as it will look to whoever comes so much later. */
function stampAfter(milliseconds: number, file = folder): string | undefined {
  vi.useFakeTimers({ toFake: ['Date'], now: statSync(file).ctimeMs + milliseconds });
  return stampOf(file);
}

describe('stampOf', () => {
  it('is the same while nothing changes, and none where nothing is', () => {
    const stamp = stampAfter(1000);
    expect(stamp).toMatch(/./);
    expect(stampAfter(100_000)).toBe(stamp);
    expect(stampOf(path.join(folder, 'nothing'))).toBeUndefined();
  });

  it('is none while a change may follow in the same tick', () => {
    expect(stampAfter(0)).toBeUndefined();
    expect(stampAfter(20)).toBeUndefined();
    expect(stampAfter(-5000)).toBeUndefined();
  });

  it('waits for the next second where that is all that the file system knows', () => {
    const changed = 1_772_416_800_000;
    const { statSync: real } = fs;
    vi.spyOn(fs, 'statSync').mockImplementation(((file: string) =>
      Object.assign(real(file), { mtimeMs: changed, ctimeMs: changed })) as never);
    syncBuiltinESMExports();
    vi.useFakeTimers({ toFake: ['Date'], now: changed + 1900 });
    expect(stampOf(folder)).toBeUndefined();
    vi.setSystemTime(changed + 3000);
    expect(stampOf(folder)).toMatch(/./);
  });
});
