import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { configSchema, type MediaConfig, type UserConfig } from '../../src/config/schema.ts';
import { runPipeline } from '../../src/images/pipeline/pipeline.ts';
import type { MediaResult } from '../../src/images/pipeline/types.ts';
import { planSources } from '../../src/images/plan.ts';
import { recipeBook } from '../../src/images/recipe-book.ts';
import { noFindings, toVehicle, type Vehicle } from '../../src/stock/vehicle.ts';
import { openPictureMemory } from './picture-memory.ts';
import type { SampleService } from './sample-service/index.ts';

export const FIRST_NIGHT = Date.parse('2026-03-02T02:00:00Z');
export const DAY = 86_400_000;

/** The media part of a configuration with the given settings and limits. */
export function mediaConfig(
  media: UserConfig['media'] = {},
  limits: Partial<MediaConfig> = {},
): MediaConfig {
  const config = configSchema.parse({
    service: { baseUrl: 'http://127.0.0.1:1' },
    site: { title: 'Test', url: 'https://test.example' },
    media,
  });
  return { ...config.media, ...limits };
}

/** The current vehicles of a sample service. */
export function vehiclesOf(service: SampleService): Vehicle[] {
  return service.data.dealers.flatMap(({ id, vehicles }) =>
    vehicles.map((record) => {
      const text = JSON.stringify(record).replaceAll('{base_url}', service.baseUrl);
      return toVehicle(JSON.parse(text), id, noFindings());
    }),
  );
}

export interface Night extends Pick<MediaResult, 'counts' | 'failures' | 'contentOf' | 'outputs'> {
  /** Requests for pictures in this night, as `STATUS` or `STATUS conditional`. */
  asked: string[];
  /** Names of all files in the store after the clean-up. */
  files: string[];
}

interface NightOptions {
  clean?: boolean;
  /** Pictures become due over time. Otherwise their age does not matter. */
  calendar?: boolean;
  /** Whether the dealers responded. */
  answered?: boolean;
  /** Whether the URLs of pictures are known. */
  addresses?: boolean;
}

export type Pipeline = Awaited<ReturnType<typeof openPipeline>>;

/** An image pipeline with a separate cache folder. */
export async function openPipeline(service: SampleService) {
  const cacheDir = await mkdtemp(path.join(tmpdir(), 'image-pipeline-'));
  const pipeline = {
    cacheDir,
    /** Times of the last responses of its dealers, in milliseconds since 1970. */
    lastConfirmed: undefined as number | undefined,
    /** Runs the pipeline for the current vehicles of the service, `days` after the first night, and cleans up. */
    async night(days: number, media = {}, options: NightOptions = {}): Promise<Night> {
      const { clean = true, answered = true, addresses = true, calendar = false } = options;
      const config = mediaConfig({ widths: [64, 128], ...media });
      service.requests.clear();
      const dealers = new Set(service.data.dealers.map(({ id }) => String(id)));
      const pictures = await openPictureMemory(cacheDir, dealers);
      const now = FIRST_NIGHT + days * DAY;
      const result = await runPipeline({
        known: pictures.known,
        lastConfirmed: () => (calendar ? pipeline.lastConfirmed : now),
        asks: () => answered,
        sources: planSources(vehiclesOf(service), recipeBook(config)).map(({ url, ...source }) =>
          addresses && url !== undefined ? { ...source, url } : source,
        ),
        media: config,
        baseUrl: service.baseUrl,
        cacheDir,
        now,
      });
      const folder = path.join(cacheDir, 'media', 'files');
      const names = async () => readdir(folder, { recursive: true });
      // Originals would fill the disk during a build.
      const left = (await names()).filter((name) => name.endsWith('.tmp'));
      if (left.length > 0) throw new Error(`Not removed: ${left}`);
      if (clean) {
        pictures.save();
        if (answered) pipeline.lastConfirmed = now;
        await result.removeUnplanned();
      }
      const asked = service.requests
        .list('picture')
        .map(({ status, headers }) => `${status}${headers['if-none-match'] ? ' conditional' : ''}`);
      const files = (await names()).filter((name) => name.includes('/')).sort();
      return { ...result, asked, files };
    },
    [Symbol.asyncDispose]: () => rm(cacheDir, { recursive: true, force: true }),
  };
  return pipeline;
}
