import type { MediaConfig } from '../../config/schema.ts';
import type { KnownPictures } from '../../record/known-pictures.ts';
import type { Source } from '../plan.ts';
import { outputEnds } from '../recipes.ts';
import type { StandIns } from '../stand-ins.ts';
import { outputName } from '../store/fingerprint.ts';
import type { OutputNames } from '../store/output-names.ts';
import type { PublishedSite, RestoreOptions } from './restore.ts';

interface MissingOptions extends Pick<RestoreOptions, 'signal'> {
  /** Where thumbnails may be taken from. */
  published?: PublishedSite | undefined;
  onRestore?: RestoreOptions['onProgress'];
  sources: readonly Source[];
  media: MediaConfig;
}

/** Takes from the published site what is missing here, where it is said that there is one. */
export async function restoreMissing(
  { published, onRestore, sources, media, signal }: MissingOptions,
  {
    known,
    standIns,
    local,
    folder,
  }: { known: KnownPictures; standIns: StandIns; local: OutputNames; folder: string },
) {
  if (!published) return undefined;
  const wanted = new Map<string, string>();
  for (const { key, recipes } of sources) {
    const former = standIns.formerOf(key);
    const its = former === undefined ? undefined : known.known(former);
    if (!its) continue;
    const { hash } = its.entry;
    const ends = outputEnds(its.content, recipes);
    if (local.hasAll(hash, ends)) continue;
    for (const end of ends) {
      const name = outputName(hash, end);
      const fingerprint = its.content.outputs[end];
      if (fingerprint !== undefined && !local.has(name)) wanted.set(name, fingerprint);
    }
  }
  if (wanted.size === 0) return undefined;
  const { restorePublished } = await import('./restore.ts');
  return restorePublished({
    site: published,
    wanted,
    media,
    local,
    folder,
    signal,
    onProgress: onRestore,
  });
}
