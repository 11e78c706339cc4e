import type { QueueAndStoreConfig } from '../../config/engines.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { Console } from '../../lib/terminal/progress.ts';
import type { PageRenderer } from '../../render/page-renderer.ts';
import type { SiteViews } from '../../site/plan/site-plan.ts';
import type { OutputForm } from './output-form.ts';
import type { Shard } from './shard.ts';

/** A site that was built, for people who show it on pages of their own. */
export interface BuiltSite extends SiteViews {
  /** Renders a template of the site: ours, or the theme's in its place. */
  render: PageRenderer;
}

/** What a build is to do. */
export interface RunOptions {
  config: LoadedConfig;
  /** The folder that is published, or that the change set is put into. */
  output: string;
  cacheDir: string;
  console: Console;
  /** The clock, milliseconds since 1970; decides ages of answers, withdrawn pages, revalidation. */
  now?: number;
  acceptLoss?: readonly string[];
  /** A person says that nothing is live yet: then no dealer can be lost. */
  first?: boolean;
  /** Exit with code 8 where a person is needed. It is published all the same. */
  strict?: boolean;
  /** Queue and store that several machines share. */
  engines?: QueueAndStoreConfig;
  /** What is to be left; default `whole`. */
  form?: OutputForm;
  /** For a change set: files that the published site no longer has, or not as they were made. */
  lost?: readonly string[];
  /** Build only this shard, for `mergeShards`. */
  shard?: Shard;
  /** Take thumbnails that are missing here from the published site (`site.url`). */
  fromPublished?: boolean | undefined;
  /** Vehicles that are worked on at the same time, at least. */
  chunkVehicles?: number | undefined;
  /** Takes the view models of all vehicles once they are published. With it, one process makes all. */
  onSite?: (site: BuiltSite) => void;
  signal?: AbortSignal;
}
