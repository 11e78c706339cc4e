import type { SecretSearch } from '../../config/secret-search.ts';
import type { MediaEngines } from '../../images/process/tasks.ts';
import { TimeLimit } from '../../images/process/time-limit.ts';
import type { OwnFiles } from '../../render/own-files.ts';
import type { ChunkContext } from '../build/build-chunk.ts';
import { SitePages } from '../build/site-pages.ts';
import { ChangeRows, changedFiles, recordsReader } from '../changes/changes.ts';
import { BuildMemory } from '../memory/memory.ts';
import type { ProgressEvent } from '../report/build-progress.ts';
import { FilesInFolder, FilesOnline } from '../site-diff/published-files.ts';

/** Options that each process of a build receives; see `ChunkContext`. */
export interface ContextOptions
  extends Pick<ChunkContext, 'options' | 'now' | 'output' | 'config'> {
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

/** Opens the state that all chunks of a process share. */
export function openContext(
  context: ContextOptions,
  {
    own,
    search,
    engines,
    notify,
    beforeWrite,
  }: {
    own: OwnFiles;
    search: SecretSearch;
    engines?: MediaEngines | undefined;
    notify: (event: ProgressEvent) => void;
    beforeWrite?: () => void;
  },
): ChunkContext {
  const { output, staging, config, options, now, searched, until, thin } = context;
  const { signal, cacheDir } = options;
  const onRead = thin && recordsReader(staging, beforeWrite);
  const memory = new BuildMemory(config, {
    cacheDir,
    now,
    // The folder of a change set never holds the published site.
    published: { folder: thin ? undefined : output, onRead, signal },
    lists: thin,
  });
  const online = thin && new FilesOnline(memory);
  const published = online ?? new FilesInFolder(output, { search, searched });
  return {
    ...context,
    own,
    published,
    engines,
    limit: until === undefined ? undefined : new TimeLimit(until),
    notify,
    memory,
    pages: new SitePages({
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
      onProgress: (pages) => notify({ kind: 'pages', ...pages }),
    }),
  };
}
