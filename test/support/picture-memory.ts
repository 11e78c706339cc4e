import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { writeFileAtomic } from '../../src/files.ts';
import { KnownPictures } from '../../src/record/known-pictures.ts';
import {
  type PictureFile,
  picturesName,
  RECORDS,
  readPictures,
  writePictures,
} from '../../src/record/picture-files.ts';

export interface PictureMemory {
  known: KnownPictures;
  /** What was wrong with files, to be told. */
  problems: readonly string[];
  /** When a dealer was last built with an answer of its service, milliseconds since 1970. */
  lastConfirmed: (dealer: string) => number | undefined;
  /**
   * What every other record of the cache says of bytes, and what killed runs noted; undefined where
   * one of them is torn.
   */
  elsewhere: () => readonly KnownPictures[] | undefined;
  /**
   * Writes what is known then.
   *
   * @param confirmed dealers with an answer of this build. @param now milliseconds since 1970.
   * @returns whether a dealer was forgotten.
   */
  save: (confirmed: ReadonlySet<string>, now: number) => Promise<boolean>;
}

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return [];
    throw error;
  }
};

/** @returns undefined where there is none, 'damaged' where it is torn. */
function readFile(file: string): PictureFile | 'damaged' | undefined {
  try {
    return readPictures(readFileSync(file, 'utf8')) ?? 'damaged';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** What a cache remembers of the pictures of some dealers. */
export function openPictureMemory(
  cacheDir: string,
  configuration: string,
  /** Dealers that the run is about, and all of the configuration. */
  { dealers, configured }: { dealers: ReadonlySet<string>; configured: ReadonlySet<string> },
): PictureMemory {
  const all = path.join(cacheDir, RECORDS);
  const own = path.join(all, configuration);
  const known = new KnownPictures(own);
  const problems: string[] = [];
  const times = new Map<string, number | undefined>();
  const others = namesIn(all).filter((name) => name !== configuration);
  for (const dealer of dealers) {
    let file: PictureFile | undefined;
    // A configuration that was renamed, or a second one of a dealer, asks for no picture again.
    for (const name of [configuration, ...others]) {
      const found = readFile(path.join(cacheDir, picturesName(name, dealer)));
      if (found === 'damaged') {
        problems.push(
          `What is known of the pictures of dealer ${dealer} is damaged, and not used.`,
        );
      } else if (found) file ??= found;
    }
    known.adopt(dealer, file ?? { sources: [], contents: [] });
    times.set(dealer, file?.confirmed);
  }
  return {
    known,
    problems,
    lastConfirmed: (dealer) => times.get(dealer),
    elsewhere: () => {
      const theirs: KnownPictures[] = [];
      for (const name of [configuration, ...others]) {
        const folder = path.join(all, name);
        const records = new Set(
          namesIn(folder).flatMap(
            (file) => /^(\d+)\.(?:pictures\.json|journal)$/.exec(file)?.[1] ?? [],
          ),
        );
        const its = new KnownPictures(folder);
        for (const dealer of records) {
          if (name === configuration && (dealers.has(dealer) || !configured.has(dealer))) continue;
          const found = readFile(path.join(cacheDir, picturesName(name, dealer)));
          if (found === 'damaged') return undefined;
          its.adopt(dealer, found ?? { sources: [], contents: [] });
        }
        theirs.push(its);
      }
      return theirs;
    },
    save: async (confirmed, now) => {
      mkdirSync(own, { recursive: true });
      for (const dealer of known.dealers) {
        const rows = known.rows(dealer);
        const file = path.join(cacheDir, picturesName(configuration, dealer));
        const time = confirmed.has(dealer) ? now : times.get(dealer);
        if (rows.sources.length === 0) rmSync(file, { force: true });
        else await writeFileAtomic(file, writePictures({ confirmed: time, ...rows }));
      }
      let forgot = false;
      for (const name of namesIn(own)) {
        const dealer = /^(\d+)\./.exec(name)?.[1];
        if (dealer !== undefined && !configured.has(dealer) && !known.dealers.has(dealer)) {
          rmSync(path.join(own, name), { force: true });
          forgot = true;
        }
      }
      known.saved();
      return forgot;
    },
  };
}
