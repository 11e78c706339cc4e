/**
 * The entry of the package's Eleventy plugin. Code that an old Node cannot read is loaded after the check of the
 * version.
 */
import { wrongNode } from '../lib/wrong-node.ts';
import type { EleventyConfig } from '../render/eleventy.ts';
import type { VehicleMediaOptions } from './vehicles.ts';

export type { SiteViews } from '../site/plan/site-wide-plan.ts';
export type { ListView } from '../site/views/list-types.ts';
export type { SiteView, VehicleView } from '../site/views/view.ts';
export type { VehicleMediaOptions } from './vehicles.ts';

/**
 * Adds the global data, shortcodes and partials of `.eleventy.ts` to an existing Eleventy site. Copies
 * thumbnails, style sheets, scripts, pictures for shared links and records.
 *
 * With `--serve`, the vehicles of the first successful build are kept until the configuration changes.
 *
 * @throws an error of Node's version, the options or the configuration, with its advice and without a stack.
 */
export default async function vehicleMediaPlugin(
  eleventyConfig: EleventyConfig,
  options: VehicleMediaOptions = {},
): Promise<void> {
  if (wrongNode) {
    const error = new Error(wrongNode);
    error.stack = '';
    throw error;
  }
  const { addVehicles } = await import('./vehicles.ts');
  await addVehicles(eleventyConfig, options);
}
