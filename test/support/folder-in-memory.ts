import { statfsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { freemem } from 'node:os';
import path from 'node:path';

const MEMORY = '/dev/shm';
/** More than twice the bytes that a run on four cores stores at once. */
const ENOUGH = 4 * 2 ** 30;

/** Whether the machine has a file system in memory with enough space, and enough memory for it. */
function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, freemem()) >= ENOUGH;
  } catch {
    return false;
  }
}

/**
 * Puts temporary folders of all tests and their commands into memory, if the machine has it. Tests write
 * hundreds of thousands of small files, and a disk takes a quarter of their CPU time. Lanes that install packages
 * stay on the disk, because memory may not allow programs to run. So does a run with a custom TMPDIR.
 */
export default async function setup() {
  if (process.env.TMPDIR || !hasMemory()) return;
  const folder = await mkdtemp(path.join(MEMORY, 'tests-'));
  // Some tests start processes of another user.
  await chmod(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
