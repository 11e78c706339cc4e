import type { LoadedConfig } from '../../config/load.ts';
import type { SecretSearch } from '../../config/secret-search.ts';
import { type MediaEngines, TimeLimit } from '../../images/process/tasks.ts';
import type { OwnFiles } from '../../render/own-files.ts';
import { ChangeRows, changedFiles, recordsReader } from '../changes/changes.ts';
import { BuildMemory } from '../memory/memory.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { ProgressEvent } from '../report/build-progress.ts';
import { FilesInFolder, FilesOnline } from '../site-diff/published-files.ts';
import { SitePages } from './site-pages.ts';

/** What every process of a build receives. */
export interface BuildInput {
  options: Pick<RunOptions, 'cacheDir' | 'acceptLoss' | 'hide' | 'first' | 'fromPublished'>;
  /** Milliseconds since 1970. */
  now: number;
  /** Holds only the dealers of this build. */
  config: LoadedConfig;
  /** The published folder, or the folder of the change set. */
  output: string;
  /** The folder that becomes the next site. */
  staging: string;
  /** Whether the published files were searched for the same keys. */
  searched: boolean;
  /** When the time for pictures ends, milliseconds since 1970; without it, all are made. */
  until?: number | undefined;
  /**
   * For a change set: mark of the keys that the published site must have been searched for, see `listMarkOf`.
   * Without it, the whole site is made.
   */
  thin?: { searched: string } | undefined;
}

/** What a process opens for its chunks, and how it reports. */
interface Opened {
  own: OwnFiles;
  search: SecretSearch;
  engines?: MediaEngines | undefined;
  signal: AbortSignal;
  notify: (event: ProgressEvent) => void;
  /** Called before files are written to the next site. */
  beforeWrite?: () => void;
}

/** State that all chunks built by one process share. */
export interface ChunkContext extends BuildInput, Opened {
  memory: BuildMemory;
  published: FilesInFolder | FilesOnline;
  pages: SitePages;
  /** Time for pictures; without it, all are made. */
  limit: TimeLimit | undefined;
}

/** Opens the state that all chunks of a process share. */
export function openContext(input: BuildInput, opened: Opened): ChunkContext {
  const { output, staging, config, options, now, searched, until, thin } = input;
  const { own, search, signal, notify, beforeWrite } = opened;
  const onRead = thin && recordsReader(staging, beforeWrite);
  const memory = new BuildMemory(config, {
    cacheDir: options.cacheDir,
    now,
    // The folder of a change set never holds the published site.
    published: { folder: thin ? undefined : output, onRead, signal },
    lists: thin,
  });
  const online = thin && new FilesOnline(memory);
  const published = online ?? new FilesInFolder(output, { search, searched });
  const pages = new SitePages({
    config,
    theme: own.theme,
    output,
    published,
    ...(online
      ? { staging: changedFiles(staging), changes: new ChangeRows(staging, online) }
      : { staging }),
    search,
    signal,
    beforeWrite,
    onProgress: (made) => notify({ kind: 'pages', ...made }),
  });
  const limit = until === undefined ? undefined : new TimeLimit(until);
  return { ...input, ...opened, memory, published, pages, limit };
}
