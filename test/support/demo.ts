import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { DEMO_SHAPE } from '../../scripts/commands/options.ts';
import { demoConfig, writeDemoStock } from '../../src/cli/demo.ts';
import { resolveConfig } from '../../src/config/load.ts';
import type { UserConfig } from '../../src/config/schema.ts';
import { startStaticServer } from '../../src/lib/static-server/server.ts';
import type { SampleServiceOptions } from '../../src/sample-service/options.ts';
import { startSampleService } from '../../src/sample-service/server.ts';
import { vehicleSlug } from '../../src/stock/address.ts';
import { buildSite, temporaryFolder } from './build.ts';

interface DemoOptions {
  /** Additional settings. */
  site?: Partial<UserConfig['site']>;
  /** Changes the files next to the configuration before the build. */
  prepare?(folder: string): Promise<void>;
}

/**
 * The site of `npm start`: its vehicles, configuration and stock lists, built by the production path and
 * served. It differs only by `change` and the options.
 */
export async function openDemo(
  change: SampleServiceOptions = {},
  { site = {}, prepare }: DemoOptions = {},
) {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder());
  const service = opening.use(await startSampleService({ ...DEMO_SHAPE, ...change }));
  const output = path.join(folder.path, 'site');
  // The server warns about a missing folder.
  await mkdir(output);
  const server = opening.use(await startStaticServer({ folder: output, port: 0 }));
  const config = demoConfig({
    baseUrl: service.baseUrl,
    siteUrl: server.url,
    dealers: await writeDemoStock(service.data.dealers, folder.path),
  });
  await prepare?.(folder.path);
  const loaded = resolveConfig(
    { ...config, site: { ...config.site, ...site } },
    {
      file: path.join(folder.path, 'site.config.json'),
      keysFor: 'dealers',
      env: { MEDIA_API_KEY: service.mediaKey },
    },
  );
  const buildAgain = () => buildSite(loaded, folder.path);
  await buildAgain();
  const [fullest] = (service.data.dealers[0]?.vehicles ?? []).toSorted(
    (a, b) => b.mediaList.length - a.mediaList.length,
  );
  const opened = opening.move();
  return {
    service,
    server,
    buildAgain,
    /** The published folder. */
    folder: output,
    /** Part of a URL: the first dealer's vehicle with the most pictures and videos. */
    fullest: `northgate-cars/${vehicleSlug(fullest?.vrm ?? '')}/`,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
