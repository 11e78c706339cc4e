import { rmSync } from 'node:fs';
import path from 'node:path';
import { entriesOf } from '../../lib/files/entries-of.ts';
import { writeFileAtomic } from '../../lib/files/write.ts';
import type { FeedFile } from '../../site/vehicle-feeds/feed.ts';
import type { GeneratedFile } from '../../site/views/view.ts';

/** Folder of feeds that are not published: next to the site or the change set, of which no deploy takes it. */
export const privateFolder = (output: string): string => `${output}-feeds`;

const FEED_FILE = /\.(?:csv|tsv|xml)$/;

/** The feeds that are part of the site. */
export const publicFeeds = (feeds: readonly FeedFile[]): GeneratedFile[] =>
  feeds.flatMap(({ file, content, ...feed }) =>
    feed.public ? [{ file: `/feeds/${file}`, content }] : [],
  );

/** Writes the feeds that are not part of the site, and removes feeds of earlier builds: they may list hidden vehicles. */
export async function writePrivateFeeds(feeds: readonly FeedFile[], output: string): Promise<void> {
  const folder = privateFolder(output);
  const wanted = feeds.filter((feed) => !feed.public);
  for (const { file, content } of wanted) {
    await writeFileAtomic(path.join(folder, file), content, { own: true });
  }
  const names = new Set(wanted.map(({ file }) => path.join(folder, file)));
  const removeFormer = (below: string) => {
    for (const entry of entriesOf(below)) {
      const file = path.join(below, entry.name);
      if (entry.isDirectory()) removeFormer(file);
      else if (FEED_FILE.test(file) && !names.has(file)) rmSync(file, { force: true });
    }
  };
  removeFormer(folder);
}
