import type { SecretSearch } from '../../config/secret-search.ts';
import type { MediaEngines } from '../../media/line.ts';
import type { BatchContext } from '../build-batch.ts';
import type { ProgressEvent } from '../build-progress.ts';
import { BuildMemory } from '../memory.ts';
import type { OwnFiles } from '../own-files.ts';
import { SitePages } from '../site-pages.ts';
import { PublishedLists } from '../tree/published-files.ts';

/** What each process of a build is told; see `BatchContext`. */
export interface ContextOptions
  extends Pick<BatchContext, 'options' | 'isPart' | 'now' | 'output' | 'config'> {
  /** The folder that becomes the next site. */
  staging: string;
  /** Whether the published files were searched for the same keys. */
  searched: boolean;
}

/** Opens what the batches of a process share. */
export function openContext(
  context: ContextOptions,
  {
    own,
    search,
    engines,
    tell,
    beforeWrite,
  }: {
    own: OwnFiles;
    search: SecretSearch;
    engines?: MediaEngines | undefined;
    tell: (event: ProgressEvent) => void;
    beforeWrite?: () => void;
  },
): BatchContext {
  const { output, staging, config, options, now, isPart, searched } = context;
  const { signal, cacheDir } = options;
  const lists = new PublishedLists(output);
  return {
    ...context,
    own,
    lists,
    engines,
    tell,
    memory: new BuildMemory(config, {
      cacheDir,
      now,
      store: engines?.store,
      // What lies in the folder of a part was never a site.
      published: { folder: isPart ? undefined : output, signal },
    }),
    pages: new SitePages({
      config,
      theme: own.theme,
      output,
      lists,
      staging,
      search,
      searched,
      signal,
      beforeWrite,
      onProgress: (pages) => tell({ kind: 'pages', ...pages }),
    }),
  };
}
