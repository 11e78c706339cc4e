import path from 'node:path';
import { DEMO_SHAPE } from '../../scripts/commands/options.ts';
import { demoConfig, writeDemoStock } from '../../src/cli/demo.ts';
import { resolveConfig } from '../../src/config/load.ts';
import { startStaticServer } from '../../src/lib/static-server/server.ts';
import { type SampleServiceOptions, startSampleService } from '../../src/sample-service/index.ts';
import { vehicleSlug } from '../../src/stock/address.ts';
import { build, temporaryFolder } from './build.ts';

/**
 * The site of `npm start`: its vehicles, configuration and stock lists, built by the production path and
 * served. It differs only by `change` and omitted headers.
 */
export async function openDemo(change: SampleServiceOptions = {}, without: readonly string[] = []) {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder());
  const service = opening.use(await startSampleService({ ...DEMO_SHAPE, ...change }));
  const output = path.join(folder.path, 'site');
  const server = opening.use(await startStaticServer({ folder: output, port: 0, without }));
  const config = demoConfig({
    baseUrl: service.baseUrl,
    siteUrl: server.url,
    dealers: await writeDemoStock(service.data.dealers, folder.path),
  });
  const loaded = resolveConfig(config, {
    file: path.join(folder.path, 'site.config.json'),
    keysFor: 'dealers',
    env: { MEDIA_API_KEY: service.mediaKey },
  });
  const { error } = await build(loaded, folder.path);
  if (error) throw error;
  const [fullest] = (service.data.dealers[0]?.vehicles ?? []).toSorted(
    (a, b) => b.mediaList.length - a.mediaList.length,
  );
  const opened = opening.move();
  return {
    service,
    server,
    /** The published folder. */
    folder: output,
    /** Part of a URL: the first dealer's vehicle with the most pictures and videos. */
    fullest: `northgate-cars/${vehicleSlug(fullest?.vrm ?? '')}/`,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
