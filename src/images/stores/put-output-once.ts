import { fingerprintOf } from '../fingerprint.ts';
import type { Store } from '../ports.ts';

/**
 * Puts an output into a store unless it exists there: a configuration with other recipes may have made
 * it with other bytes.
 *
 * @returns the bytes that the store has.
 */
export async function putOutputOnce(
  store: Store,
  name: string,
  bytes: Uint8Array,
): Promise<{ bytes: Uint8Array; fingerprint: string }> {
  const isPut = await store.put(`files/${name}`, bytes, { once: true });
  const there = (isPut ? undefined : await store.get(`files/${name}`)) ?? bytes;
  return { bytes: there, fingerprint: fingerprintOf(there) };
}
