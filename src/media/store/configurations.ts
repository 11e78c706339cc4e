import path from 'node:path';
import { manifestName, readDealer } from './dealer-file.ts';
import { entriesOf } from './entries-of.ts';
import { Manifest } from './manifest.ts';
import { OutputNames } from './output-names.ts';
import { readIfThere } from './read-if-there.ts';

/** Below a store: what each configuration knows of its pictures. Outputs belong to all of them. */
export const CONFIGURATIONS = 'configurations/';

/** Where what a configuration knows lies, below a store. */
export const configurationName = (configuration: string): string =>
  `${CONFIGURATIONS}${configuration}/`;

/** Folders of the other configurations that use a store. */
function othersOf(store: string, configuration: string): string[] {
  return entriesOf(path.join(store, CONFIGURATIONS))
    .filter((entry) => entry.isDirectory() && entry.name !== configuration)
    .map(({ name }) => path.join(store, configurationName(name)));
}

/**
 * Has a manifest begin with what other configurations know of dealers that it knows nothing of: so a
 * configuration that was renamed, or a second one of the same dealer, asks for no picture again.
 */
export function adoptFromOthers(
  manifest: Manifest,
  store: string,
  configuration: string,
  dealers: Iterable<string>,
): void {
  const others = othersOf(store, configuration);
  if (others.length === 0) return;
  const known = manifest.dealers();
  for (const dealer of dealers) {
    if (known.has(dealer)) continue;
    for (const folder of others) {
      const text = readIfThere(path.join(folder, manifestName(dealer)))?.toString('utf8');
      const file = text === undefined ? undefined : readDealer(text);
      if (file && file !== 'damaged') manifest.adopt(file);
    }
  }
}

/** What the other configurations that use a store know, read when it is first asked for. */
export function openOthers(store: string, configuration: string): () => readonly Manifest[] {
  let others: readonly Manifest[] | undefined;
  return () => {
    others ??= othersOf(store, configuration).map((folder) => Manifest.open(folder));
    return others;
  };
}

/**
 * The outputs that others use.
 *
 * @returns undefined where one of their manifests is damaged: it may name any of them.
 */
export function usedBy(others: readonly Manifest[]): OutputNames | undefined {
  const used = new OutputNames();
  for (const { contents, problems } of others) {
    if (problems.length > 0) return undefined;
    for (const [hash, { outputs }] of contents) used.addPictures(Object.keys(outputs), [hash]);
  }
  return used;
}
