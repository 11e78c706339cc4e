import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type LoadedConfig, loadConfig, resolveConfig } from '../config/load.ts';
import { showWhileChanging } from '../dev/dev.ts';
import { startDevServer } from '../dev/server.ts';
import { EXIT } from '../errors.ts';
import type { Run } from '../lib/command-line/definition.ts';
import { untilAborted } from '../lib/command-line/process.ts';
import { onFreePort } from '../lib/static-server/server.ts';
import { createConsole } from '../lib/terminal/progress.ts';
import { claimDemo } from '../publish/folder-checks/check.ts';
import { livePresent, startSampleService } from '../sample-service/index.ts';
import { siteAddress } from '../site/views/site-url.ts';
import { demoConfig, writeDemoStock } from './demo.ts';
import type { DEV_OPTIONS } from './options.ts';
import { cacheFolder, configFile } from './shared.ts';

export const run: Run<typeof DEV_OPTIONS> = async ({ values }, io) => {
  const { stdout, signal, cwd } = io;
  const console_ = createConsole({ stream: stdout, quiet: values.quiet });
  const notify = (text: string) => console_.line(text);
  const server = await onFreePort(values.port, startDevServer, notify);
  const sample = values.sample
    ? await onFreePort(
        8701,
        (port) =>
          startSampleService({
            ...livePresent(),
            port,
            vehicles: values.vehicles,
          }),
        notify,
      )
    : undefined;
  try {
    const theme =
      values.theme ??
      (sample && existsSync(path.join(cwd, 'theme')) ? path.join(cwd, 'theme') : undefined);
    const own = theme === undefined ? {} : { theme };
    let config: LoadedConfig;
    let reload: (() => Promise<LoadedConfig>) | undefined;
    if (sample) {
      const folder = path.join(cwd, '.demo');
      claimDemo(folder);
      await mkdir(folder, { recursive: true });
      const dealers = await writeDemoStock(sample.data.dealers, folder);
      const demo = demoConfig({ baseUrl: sample.baseUrl, siteUrl: server.origin, dealers });
      config = resolveConfig(
        { ...demo, site: { ...demo.site, ...own } },
        {
          file: path.join(folder, 'site.config.json'),
          keysFor: 'dealers',
          env: { MEDIA_API_KEY: sample.mediaKey },
        },
      );
    } else {
      const file = configFile(values, io);
      reload = async () => {
        const loaded = await loadConfig({ file, keysFor: 'dealers', env: io.env });
        return { ...loaded, site: { ...loaded.site, ...own } };
      };
      config = await reload();
    }
    const usual = sample ? path.join(cwd, '.demo/cache') : undefined;
    const cacheDir = cacheFolder({ cache: values.cache ?? usual }, io);
    await using _watching = await showWhileChanging({
      config,
      cacheDir,
      server,
      console: console_,
      signal,
      ...(reload && { reload }),
    });
    notify(`The site is at ${server.origin}${siteAddress(config.site.url).base}/`);
    notify('Ctrl-C ends it.');
    await untilAborted(signal);
    return EXIT.published;
  } finally {
    await Promise.all([server.close(), sample?.close()]);
  }
};
