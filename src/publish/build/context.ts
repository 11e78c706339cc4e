import { SecretSearch, secretsOf } from '../../config/secret-search.ts';
import { openEngines } from '../../images/pipeline/engines.ts';
import { type MediaEngines, TimeLimit } from '../../images/process/tasks.ts';
import { thumbnailsIn } from '../../images/stores/folder.ts';
import { firstOfSignals } from '../../lib/abort.ts';
import { lockFolder } from '../../lib/files/folder-lock.ts';
import { openFolder } from '../../lib/files/hard-link.ts';
import { cachedTimes, recordsFolder } from '../../record/published-records.ts';
import { readUserFiles, type UserFiles } from '../../render/user-files.ts';
import { changedFiles, changeRows, recordsReader } from '../changes/changes.ts';
import { checkFolders, lockOutput, refuseLinks } from '../folder-checks/check.ts';
import { BuildMemory } from '../memory/memory.ts';
import { checkAcceptedLosses } from '../options/accepted-losses.ts';
import type { BuildOptions, RunOptions } from '../options/run-options.ts';
import { discardStaged, recover, stagingFolder } from '../output/swap.ts';
import type { Notify } from '../report/build-progress.ts';
import {
  FilesInFolder,
  FilesOnline,
  type PublishedSiteFiles,
} from '../site-diff/published-files.ts';
import { PageMaker } from './pages.ts';
import { withNavigation } from './prepare.ts';

/** The input of a build, as plain data for every process. */
export interface BuildInput extends BuildOptions {
  /** End of the time for pictures, milliseconds since 1970. Without it, all are made. */
  until: number | undefined;
  /** Marks of the keys that files are searched for, see `SecretSearch.mark`: for the output folder and for the site. */
  marks: { output: string; site: string };
  /** Whether the published folder was already searched for the same keys. */
  isSearched: boolean;
}

/** Resources that a process opens for its steps. */
interface Opened {
  userFiles: UserFiles;
  /** Finds keys in files before they are published. */
  search: SecretSearch;
  engines?: MediaEngines;
  signal: AbortSignal;
  notify: Notify;
  /** Called before files are written to the next site. */
  beforeWrite?: () => void;
}

/** Resources that the steps of a build share in one process. */
export interface Build extends Opened {
  options: BuildInput;
  memory: BuildMemory;
  published: PublishedSiteFiles;
  /** The folder for the files of the next site. */
  staging: string;
  /** Writes a file of the next site. */
  write: (file: string, content: string | Uint8Array) => void;
  /** For a change set: lists its files. Unchanged files are listed but not written. */
  listChanges: ReturnType<typeof changeRows> | undefined;
  pages: PageMaker;
  /** Time for pictures. Without it, all are made. */
  limit: TimeLimit | undefined;
}

/** A build in the process that publishes. */
export interface MainBuild extends Build, AsyncDisposable {
  run: Pick<RunOptions, 'chunkVehicles' | 'onSite'>;
  /** Records of this configuration in the cache. */
  records: string;
  /** Stops this process and its workers. */
  stop: AbortController;
}

/** Opens the resources that the steps of one process share. */
export function openBuild(options: BuildInput, opened: Opened): Build {
  const { config, output, form, isSearched, marks, until } = options;
  const { userFiles, search, signal, notify, beforeWrite = () => {} } = opened;
  const next = stagingFolder(output);
  const isThin = form === 'thin';
  const memory = new BuildMemory(config, {
    ...options,
    published: isThin
      ? { folder: undefined, onRead: recordsReader(next, beforeWrite), signal }
      : { folder: output, signal },
    lists: isThin ? { searched: marks.site } : undefined,
  });
  const online = isThin ? new FilesOnline((dealer) => memory.published(dealer)) : undefined;
  const staging = online ? changedFiles(next) : next;
  const put = openFolder(staging);
  const write: Build['write'] = (file, content) => {
    beforeWrite();
    put(file, content);
  };
  const pages = new PageMaker({
    theme: userFiles.theme,
    write,
    folder: staging,
    beforeWrite,
    signal,
    siteUrl: config.site.url,
    cards: {
      folder: thumbnailsIn(options.cacheDir),
      // Same sources as for thumbnails: the published folder, otherwise the site.
      published: {
        folder: isThin ? undefined : output,
        url: options.fromPublished ? config.site.url : undefined,
      },
      media: config.media,
      signal,
    },
    onProgress: (counts) => notify({ kind: 'pages', ...counts }),
  });
  return {
    options,
    ...opened,
    memory,
    staging,
    write,
    pages,
    published: online ?? new FilesInFolder(output, search, isSearched),
    listChanges: online && changeRows(next, online),
    limit: until === undefined ? undefined : new TimeLimit(until),
  };
}

/**
 * Starts a build: checks user files and folders, locks the folders, and cleans up after a killed build. Fetches
 * nothing.
 */
export async function startBuild(run: RunOptions, notify: Notify): Promise<MainBuild> {
  const { config, cacheDir, form = 'whole', acceptLoss = [], hide = [], first = false } = run;
  const { now = Date.now(), timeLimit, fromPublished = false, onSite, chunkVehicles } = run;
  const until = timeLimit === undefined ? undefined : Date.now() + timeLimit;
  checkAcceptedLosses(acceptLoss, config);
  const { output, claim, markCache } = checkFolders(run);
  claim();
  const stop = new AbortController();
  const signal = firstOfSignals(stop.signal, run.signal);
  const files = await readUserFiles(config, hide);
  // In another Eleventy site, custom pages are not made. A list on another Eleventy site is not its front page.
  const userFiles = onSite
    ? { ...files, theme: { ...files.theme, hasOwnFront: true } }
    : await withNavigation(config, files, { signal });
  refuseLinks(cacheDir);
  await using resources = new AsyncDisposableStack();
  resources.use(lockOutput(output));
  resources.use(lockFolder(cacheDir));
  const notifyLine = (text: string) => notify({ kind: 'line', text });
  const { engines } = resources.use(
    await openEngines(run.engines ?? {}, cacheDir, { notify: notifyLine }),
  );
  await recover(output);
  resources.defer(() => discardStaged(output));
  resources.defer(() => {
    // If another program removed the cache during the build, the next one would refuse the new files without a mark.
    try {
      markCache();
    } catch {
      // The error of the build matters more. The next build reports the folder.
    }
  });

  const records = recordsFolder(cacheDir, config);
  const search = SecretSearch.of(secretsOf(config, run.engines));
  const marks = { output: search.mark(output), site: search.mark(config.site.url) };
  const isSearched = (await cachedTimes(records))?.searched === marks.output;
  const options = { config, output, cacheDir, now, form, acceptLoss, hide, first, fromPublished };
  const build = openBuild(
    { ...options, until, marks, isSearched },
    { userFiles, search, engines, signal, notify },
  );
  resources.use(build.memory);
  resources.use(build.pages);
  const all = resources.move();
  return {
    ...build,
    run: { onSite, chunkVehicles },
    records,
    stop,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
