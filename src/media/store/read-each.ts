import { closeSync, openSync, readSync } from 'node:fs';
import path from 'node:path';

/** Larger than nearly all thumbnails; it grows where one is larger. */
let memory = Buffer.alloc(2 ** 18);

/**
 * Files of a folder, one after another, each in the same memory: its bytes are there until the next
 * is asked for. Synchronous, because these files were just written: five trips to a thread take
 * longer than reading one. Bytes of their own for each would lie about outside of the heap, where the
 * collector does not see them: 100 MB for 20,000 files (measured).
 */
export function* readEach(
  folder: string,
  names: Iterable<string>,
): Generator<{ name: string; bytes: Uint8Array }> {
  for (const name of names) yield { name, bytes: read(path.join(folder, name)) };
}

function read(file: string): Uint8Array {
  const handle = openSync(file, 'r');
  try {
    for (let length = 0; ; ) {
      if (length === memory.length) memory = Buffer.concat([memory], length * 2);
      const count = readSync(handle, memory, length, memory.length - length, null);
      if (count === 0) return memory.subarray(0, length);
      length += count;
    }
  } finally {
    closeSync(handle);
  }
}
