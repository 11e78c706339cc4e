import type { Work } from '../ports.ts';
import type { PublishedSite, Restored, RestoreOptions } from './restore.ts';

type Restoring = Omit<RestoreOptions, 'site' | 'onProgress'> & {
  /** Where thumbnails may be taken from. */
  published?: PublishedSite | undefined;
  onRestore?: RestoreOptions['onProgress'];
};

/** Takes from the published site what is missing here, where it is said that there is one. */
export async function restoreMissing({
  published,
  onRestore,
  ...options
}: Restoring): Promise<Restored | undefined> {
  if (!published) return undefined;
  const { restorePublished } = await import('./restore.ts');
  return restorePublished({ ...options, site: published, onProgress: onRestore });
}

/**
 * Takes what the cache knew and lost from the folder that was published on this disk: the host of the
 * pictures need not be asked for it, and may be down.
 */
export async function restoreLost(
  { published, ...options }: Restoring,
  lost: readonly Work[],
  restored: Restored | undefined,
): Promise<boolean> {
  const folder = published?.folder;
  if (folder === undefined || !restored) return false;
  const { restorePublished } = await import('./restore.ts');
  const sources = lost.map(({ source }) => source);
  const site = { folder, use: 'always' as const };
  const more = await restorePublished({ ...options, sources, site, onProgress: undefined });
  restored.outputs += more.outputs;
  for (const [name, hash] of more.hashes) restored.hashes.set(name, hash);
  return more.outputs > 0;
}
