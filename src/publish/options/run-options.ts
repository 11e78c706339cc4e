import type { QueueAndStoreConfig } from '../../config/engines.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { Console } from '../../lib/terminal/progress.ts';
import type { PageRenderer } from '../../render/theme/page-renderer.ts';
import type { SiteViews } from '../../site/plan/site-wide-plan.ts';
import type { OutputForm } from './output-form.ts';

/** A built site, for callers that show it on pages of their own. */
export interface BuiltSite extends SiteViews {
  /** Renders a template of the site: ours, or the theme's in its place. */
  render: PageRenderer;
}

/** Options of a build that every step reads: plain data, which other processes of the build receive as well. */
export interface BuildOptions {
  config: LoadedConfig;
  /** The published folder, or the folder of the change set. */
  output: string;
  cacheDir: string;
  /** The clock, milliseconds since 1970; decides ages of answers, withdrawn pages, revalidation. */
  now: number;
  /** What the build writes. */
  form: OutputForm;
  acceptLoss: readonly string[];
  /** Plates of vehicles that this build hides (`--hide`). */
  hide: readonly string[];
  /** Nothing is live yet, so no dealer can be lost (`--first`). */
  first: boolean;
  /** Take thumbnails that are missing here from the published site (`site.url`). */
  fromPublished: boolean;
}

/** A build as its caller starts it. */
export interface RunOptions extends Partial<BuildOptions> {
  config: LoadedConfig;
  output: string;
  cacheDir: string;
  console: Console;
  /** Exit with code 8 if a person is needed. The site is published all the same. */
  strict?: boolean;
  /** Queue and store that several machines share. */
  engines?: QueueAndStoreConfig;
  /** Vehicles that are worked on at the same time, at least. */
  chunkVehicles?: number | undefined;
  /** Receives the view models of all vehicles once they are published. With it, one process builds all. */
  onSite?: (site: BuiltSite) => void;
  /** Milliseconds for pictures (`--for`): then the build publishes vehicles whose pictures are done. */
  timeLimit?: number | undefined;
  signal?: AbortSignal;
}
