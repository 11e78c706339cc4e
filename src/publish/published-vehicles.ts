import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { LoadedConfig } from '../config/load.ts';
import { decideBounds, machine } from '../media/bounds.ts';
import type { SiteFiles } from '../media/published/site-files.ts';
import type { PublishedVehicles } from '../stock/published.ts';

/** As much of `DEALER/media.json` (site/media-json.ts) as is asked for here. */
const listSchema = z.object({
  version: z.literal(1),
  vehicles: z.array(z.object({ vrm: z.string().max(1000) })),
});

function readList(text: string): PublishedVehicles {
  try {
    const { vehicles } = listSchema.parse(JSON.parse(text));
    return { state: 'live', vrms: vehicles.map(({ vrm }) => vrm) };
  } catch {
    return { state: 'unknown', why: 'its list is damaged, or something else' };
  }
}

/**
 * What the published site lists, dealer by dealer: from the published folder where that is on this
 * disk, else from `site.url`. Nearly every build runs on a machine that is new, where nothing else
 * says what visitors see. It is used to count losses, and for nothing else: whoever can write to the
 * site can make the next build more careful, never less.
 */
export class PublishedSiteLists implements AsyncDisposable {
  readonly #config: LoadedConfig;
  readonly #output: string | undefined;
  readonly #signal: AbortSignal | undefined;
  #files: Promise<SiteFiles> | undefined;

  /** @param output the published folder; undefined where what lies there is no site. */
  constructor(
    config: LoadedConfig,
    { output, signal }: { output: string | undefined; signal?: AbortSignal | undefined },
  ) {
    this.#config = config;
    this.#output = output;
    this.#signal = signal;
  }

  /** @throws only where the signal of the build says so. */
  async of({ slug }: { slug: string }): Promise<PublishedVehicles> {
    return this.#inFolder(slug) ?? (await this.#online(slug));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#files)?.close();
  }

  #inFolder(slug: string): PublishedVehicles | undefined {
    if (this.#output === undefined) return undefined;
    const folder = path.join(this.#output, slug);
    if (!existsSync(path.join(folder, 'index.html'))) return undefined;
    try {
      const list = readList(readFileSync(path.join(folder, 'media.json'), 'utf8'));
      if (list.state === 'live') return list;
    } catch {
      // The page says enough: the dealer is published.
    }
    return { state: 'live', vrms: [] };
  }

  async #online(slug: string): Promise<PublishedVehicles> {
    this.#files ??= this.#open();
    const file = await (await this.#files).list(`${slug}/media.json`);
    if ('bytes' in file) return readList(file.bytes.toString('utf8'));
    return file.missing ? { state: 'absent' } : { state: 'unknown', why: file.why };
  }

  async #open(): Promise<SiteFiles> {
    // What speaks HTTP is loaded only where there is something to ask for.
    const { SiteFiles } = await import('../media/published/site-files.ts');
    const { media, site } = this.#config;
    return new SiteFiles(site.url, { ...media, ...decideBounds(media, machine()) }, this.#signal);
  }
}
