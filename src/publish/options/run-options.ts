import type { QueueAndStoreConfig } from '../../config/engines.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { Console } from '../../lib/terminal/progress.ts';
import type { PageRenderer } from '../../render/theme/page-renderer.ts';
import type { SiteViews } from '../../site/plan/site-wide-plan.ts';
import type { OutputForm } from './output-form.ts';

/** A built site, for callers that render custom pages from it. */
export interface BuiltSite extends SiteViews {
  /** Renders a template of the site: the theme's, or the built-in one. */
  render: PageRenderer;
}

/** Options that every step of a build reads. They are plain data, because worker processes also receive them. */
export interface BuildOptions {
  config: LoadedConfig;
  /** The published folder, or the folder of the change set. */
  output: string;
  cacheDir: string;
  /** Current time, milliseconds since 1970. Decides the age of responses, withdrawn pages and revalidation. */
  now: number;
  form: OutputForm;
  acceptLoss: readonly string[];
  /** Plates of vehicles to hide in this build (`--hide`). */
  hide: readonly string[];
  /** Nothing is live yet, so no dealer can be lost (`--first`). */
  first: boolean;
  /** Download missing thumbnails from the published site (`site.url`). */
  fromPublished: boolean;
}

export interface RunOptions extends Partial<BuildOptions> {
  config: LoadedConfig;
  output: string;
  cacheDir: string;
  console: Console;
  /** Exit with code 8 if something needs attention. The site is published anyway. */
  strict?: boolean;
  /** Queue and store that several machines share. */
  engines?: QueueAndStoreConfig;
  /** Minimum number of vehicles in a chunk. */
  chunkVehicles?: number;
  /** Receives the view models of all vehicles once they are published. With it, one process builds all. */
  onSite?: (site: BuiltSite) => void;
  /** Milliseconds for pictures (`--for`). Afterwards, only vehicles with finished pictures are published. */
  timeLimit?: number;
  signal?: AbortSignal;
}
