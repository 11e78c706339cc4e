import { rmSync } from 'node:fs';
import path from 'node:path';
import { listFiles } from '../../change-set/listing.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { claimFolder, isMarked } from '../../lib/files/claim.ts';
import { outputNamed, usable } from '../../lib/files/folder-lock.ts';
import { writeFileAtomic } from '../../lib/files/write.ts';
import type { FeedFile } from '../../site/vehicle-feeds/feed.ts';
import type { GeneratedFile } from '../../site/views/view.ts';

/** Folder of unpublished feeds. It is next to the site or change set, so it is never deployed. */
export const privateFolder = (output: string): string => `${output}-feeds`;

const FEED_FILE = /\.(?:csv|tsv|xml)$/;

/** The feeds that are part of the site. */
export const publicFeeds = (feeds: readonly FeedFile[]): GeneratedFile[] =>
  feeds.flatMap(({ file, content, ...feed }) =>
    feed.public ? [{ file: `/feeds/${file}`, content }] : [],
  );

/** Claims the folder of unpublished feeds, if there are any. @throws {ConfigError} it contains user files. */
export function claimPrivateFeeds({ feeds }: Pick<LoadedConfig, 'feeds'>, output: string): void {
  if (feeds.every((feed) => feed.public)) return;
  const folder = privateFolder(output);
  const claim = {
    code: 'output-not-ours',
    name: 'The folder of private feeds',
    fix: 'Move its files away, or choose another output folder with --output.',
    kind: 'feeds',
  } as const;
  usable(outputNamed(folder), () => claimFolder(folder, claim)());
}

/** Writes unpublished feeds. Removes feeds of earlier builds, because they may list hidden vehicles. */
export async function writePrivateFeeds(feeds: readonly FeedFile[], output: string): Promise<void> {
  const folder = privateFolder(output);
  if (!isMarked(folder, 'feeds')) return;
  const privateFeeds = feeds.filter((feed) => !feed.public);
  for (const { file, content } of privateFeeds) {
    await writeFileAtomic(path.join(folder, file), content, { isProgramFile: true });
  }
  const names = new Set(privateFeeds.map(({ file }) => file));
  for (const file of listFiles(folder).files) {
    if (FEED_FILE.test(file) && !names.has(file)) rmSync(path.join(folder, file), { force: true });
  }
}
