import { SecretSearch, secretsOf } from '../../config/secret-search.ts';
import { openEngines } from '../../images/line/engines.ts';
import { type MediaEngines, TimeLimit } from '../../images/process/tasks.ts';
import { thumbnailsIn } from '../../images/stores/folder.ts';
import { lockFolder } from '../../lib/files/folder-lock.ts';
import { openFolder } from '../../lib/files/hard-link.ts';
import { cachedTimes, recordsFolder } from '../../record/published-records.ts';
import { readUserFiles, type UserFiles } from '../../render/user-files.ts';
import { ChangeRows, changedFiles, recordsReader } from '../changes/changes.ts';
import { checkFolders, lockOutput, refuseLinks } from '../folder-checks/check.ts';
import { BuildMemory } from '../memory/memory.ts';
import { checkAcceptedLosses } from '../options/accepted-losses.ts';
import type { BuildOptions, RunOptions } from '../options/run-options.ts';
import { recover, stagingFolder } from '../output/swap.ts';
import type { Notify } from '../report/build-progress.ts';
import { FilesInFolder, FilesOnline } from '../site-diff/published-files.ts';
import { PageMaker } from './pages.ts';
import { withNavigation } from './prepare.ts';

/** The options of a build, and what is known before its first step: plain data for every process. */
export interface BuildInput extends BuildOptions {
  /** When the time for pictures ends, milliseconds since 1970. Without it, all are made. */
  until: number | undefined;
  /** Marks of the keys that files are searched for, see `SecretSearch.mark`: of a folder on this disk, and of the site. */
  marks: { output: string; site: string };
  /** Whether the published folder was searched for the same keys. */
  isSearched: boolean;
}

/** What a process opens for its steps, and how they report. */
interface Opened {
  userFiles: UserFiles;
  /** Finds keys in files before they are published. */
  search: SecretSearch;
  engines?: MediaEngines | undefined;
  signal: AbortSignal;
  notify: Notify;
  /** Called before files are written to the next site. */
  beforeWrite?: () => void;
}

/** What the steps of a build share in one process. */
export interface Build extends Opened {
  options: BuildInput;
  memory: BuildMemory;
  published: FilesInFolder | FilesOnline;
  /** The folder that gets the files of the next site. */
  staging: string;
  /** Writes a file of the next site. */
  write: (file: string, content: string | Uint8Array) => void;
  /** For a change set: lists the files. Unchanged ones are not placed then. */
  changes: ChangeRows | undefined;
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

/** Opens what the steps of one process share. */
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
  const online = isThin ? new FilesOnline(memory) : undefined;
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
      // As for thumbnails: the published folder, otherwise the site.
      published: {
        folder: isThin ? undefined : output,
        url: options.fromPublished ? config.site.url : undefined,
      },
      media: config.media,
      signal,
    },
    onProgress: (made) => notify({ kind: 'pages', ...made }),
  });
  return {
    options,
    ...opened,
    memory,
    staging,
    write,
    pages,
    published: online ?? new FilesInFolder(output, { search, searched: isSearched }),
    changes: online && new ChangeRows(next, online),
    limit: until === undefined ? undefined : new TimeLimit(until),
  };
}

/**
 * Starts a build: checks all that a user wrote and the folders, locks them, and repairs what a killed build left.
 * Nothing has been fetched when this returns.
 */
export async function startBuild(run: RunOptions, notify: Notify): Promise<MainBuild> {
  const { config, cacheDir, form = 'whole', acceptLoss = [], hide = [], first = false } = run;
  const { now = Date.now(), timeLimit, fromPublished = false, onSite, chunkVehicles } = run;
  const until = timeLimit === undefined ? undefined : Date.now() + timeLimit;
  checkAcceptedLosses(acceptLoss, config);
  const { output, claim } = checkFolders(run);
  claim();
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(run.signal ? [run.signal] : [])]);
  const files = await readUserFiles(config, { signal, hide });
  // A build for another Eleventy site makes no custom pages.
  const userFiles = onSite ? files : await withNavigation(config, files, signal);
  await refuseLinks(cacheDir);
  await using held = new AsyncDisposableStack();
  held.use(lockOutput(output));
  held.use(lockFolder(cacheDir));
  const say = (text: string) => notify({ kind: 'line', text });
  const { engines } = held.use(await openEngines(run.engines ?? {}, cacheDir, { notify: say }));
  await recover(output);

  const records = recordsFolder(cacheDir, config);
  const search = SecretSearch.of(secretsOf(config, run.engines));
  const marks = { output: search.mark(output), site: search.mark(config.site.url) };
  const isSearched = (await cachedTimes(records))?.searched === marks.output;
  const build = openBuild(
    {
      config,
      output,
      cacheDir,
      now,
      form,
      acceptLoss,
      hide,
      first,
      fromPublished,
      until,
      marks,
      isSearched,
    },
    { userFiles, search, engines, signal, notify },
  );
  held.use(build.memory);
  held.use(build.pages);
  const all = held.move();
  const dispose = () => all.disposeAsync();
  const asked = { onSite, chunkVehicles };
  return { ...build, run: asked, records, stop, [Symbol.asyncDispose]: dispose };
}
