import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder, configFile, readEnvironment } from '../config/environment.ts';
import { type LoadedConfig, loadConfig, resolveConfig } from '../config/load.ts';
import { serveSite } from '../dev/dev.ts';
import { EXIT } from '../errors.ts';
import type { Run } from '../lib/command-line/definition.ts';
import { untilAborted } from '../lib/command-line/process.ts';
import { holdPort, onFreePort } from '../lib/static-server/server.ts';
import { createConsole } from '../lib/terminal/progress.ts';
import { claimDemo } from '../publish/folder-checks/check.ts';
import { livePresent } from '../sample-service/options.ts';
import { type SampleService, startSampleService } from '../sample-service/server.ts';
import { siteAddress } from '../site/views/site-url.ts';
import { demoConfig, writeDemoStock } from './demo.ts';
import type { DEV_OPTIONS } from './options.ts';

/** The configuration of the demo, with the theme and the custom pages of the working folder. */
async function sampleConfig(
  sample: SampleService,
  { cwd, siteUrl }: { cwd: string; siteUrl: string },
): Promise<LoadedConfig> {
  const folder = path.join(cwd, '.demo');
  claimDemo(folder);
  await mkdir(folder, { recursive: true });
  const dealers = (await writeDemoStock(sample.data.dealers, folder)).map((dealer) => ({
    ...dealer,
    stock: dealer.stock && path.join(folder, dealer.stock),
  }));
  return resolveConfig(demoConfig({ baseUrl: sample.baseUrl, siteUrl, dealers }), {
    // Only the folder of this path is used.
    file: path.join(cwd, 'site.config.json'),
    keysFor: 'dealers',
    env: { MEDIA_API_KEY: sample.mediaKey },
  });
}

export const run: Run<typeof DEV_OPTIONS> = async ({ values }, io) => {
  const { stdout, signal, cwd } = io;
  const console = createConsole({ stream: stdout, quiet: values.quiet });
  await using heldPort = await onFreePort(values.port, holdPort, console.line);
  const origin = `http://127.0.0.1:${heldPort.port}`;
  const start = (samplePort: number) =>
    startSampleService({ ...livePresent(), port: samplePort, vehicles: values.vehicles });
  await using sample = values.sample ? await onFreePort(8701, start, console.line) : undefined;
  const demo = sample && (await sampleConfig(sample, { cwd, siteUrl: origin }));
  const load = async (): Promise<LoadedConfig> => {
    const file = configFile(values, io);
    const env = readEnvironment(io.env);
    const config = demo ?? (await loadConfig({ file, keysFor: 'dealers', env }));
    const { theme = config.site.theme } = values;
    return { ...config, site: { ...config.site, theme } };
  };
  const defaultCache = sample ? path.join(cwd, '.demo/cache') : undefined;
  const cacheDir = cacheFolder({ cache: values.cache ?? defaultCache }, io);
  await using _server = await serveSite({ load, cacheDir, heldPort, console, signal });
  console.line(`The site is at ${origin}${siteAddress((await load()).site.url).base}/`);
  console.line('Ctrl-C stops it.');
  await untilAborted(signal);
  return EXIT.published;
};
