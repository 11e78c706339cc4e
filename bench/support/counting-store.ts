import type { Store } from '../../src/images/ports.ts';
import { FolderStore } from '../../src/images/stores/folder-store.ts';

/** Requests as a bill has them. */
export interface Requests {
  /** PUT and LIST: the dear ones. */
  written: number;
  /** GET and HEAD. */
  read: number;
  bytesIn: number;
  bytesOut: number;
}

/** A folder that passes for a store elsewhere, and counts what such a store would bill. */
export function countingStore(folder: string): { store: Store; requests: Requests } {
  const inner = new FolderStore(folder);
  const requests: Requests = { written: 0, read: 0, bytesIn: 0, bytesOut: 0 };
  return {
    requests,
    store: {
      async get(name) {
        requests.read++;
        const bytes = await inner.get(name);
        requests.bytesOut += bytes?.length ?? 0;
        return bytes;
      },
      put(name, bytes, options) {
        requests.written++;
        requests.bytesIn += bytes.length;
        return inner.put(name, bytes, options);
      },
      has(name) {
        requests.read++;
        return inner.has(name);
      },
      async list(prefix) {
        const names = await inner.list(prefix);
        // A thousand names a page.
        requests.written += Math.max(1, Math.ceil(names.length / 1000));
        return names;
      },
      // Removing costs nothing.
      remove: (names) => inner.remove(names),
    },
  };
}
