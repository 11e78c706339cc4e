import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import {
  defaultCacheFolder,
  defaultConfigFile,
  type LoadedConfig,
  loadConfig,
  resolveConfig,
} from '../src/config/load.ts';
import { showWhileChanging } from '../src/dev/dev.ts';
import { startDevServer } from '../src/dev/server.ts';
import { EXIT } from '../src/errors.ts';
import { createConsole } from '../src/lib/terminal/progress.ts';
import { claimDemo } from '../src/publish/folders/check.ts';
import { livePresent, startSampleService } from '../src/sample-service/index.ts';
import { siteAddress } from '../src/site/views/site-url.ts';
import { LAST_PORT, runCommand, wholeNumber } from './cli.ts';
import { demoConfig } from './demo-config.ts';
import { writeDemoStock } from './demo-stock.ts';
import { onFreePort } from './static-server.ts';

const usage = `
Shows the site while its templates, theme, words and style sheets are being changed: every change is
in the browser at once. Nothing is published.

npm run dev -- [options]
  --sample        with vehicles of the sample service, in place of your own
  --vehicles N    vehicles per dealer of the sample service; default 12
  --theme DIR     the theme, in place of the one of the configuration; with --sample, default theme
  --extend FILE   the extension, in place of the one of the configuration
  --config FILE   configuration (.ts, .js or .json); default site.config.ts
  --cache DIR     kept between runs; default .cache, with --sample .demo/cache
  --port N        port of the site; default 8080
  --quiet         only warnings and errors
  --debug         show stack traces

Vehicles and pictures are fetched once: answers of the last hour are used again, and the last good
answer stands in where the service cannot be reached. A changed configuration is read again.
Ctrl-C ends it.
`;

await runCommand(
  {
    usage,
    options: {
      sample: { type: 'boolean' },
      vehicles: { type: 'string', default: '12' },
      theme: { type: 'string' },
      extend: { type: 'string' },
      config: { type: 'string' },
      cache: { type: 'string' },
      port: { type: 'string', default: '8080' },
      quiet: { type: 'boolean' },
    },
  },
  async ({ values }, signal) => {
    const console_ = createConsole({ stream: process.stdout, quiet: values.quiet === true });
    const tell = (text: string) => console_.line(text);
    const vehicles = wholeNumber('vehicles', values.vehicles, 100_000);
    const server = await onFreePort(
      wholeNumber('port', values.port, LAST_PORT),
      startDevServer,
      tell,
    );
    const sample = values.sample
      ? await onFreePort(
          8701,
          (port) =>
            startSampleService({
              ...livePresent(),
              port,
              vehicles,
            }),
          tell,
        )
      : undefined;
    try {
      const theme = values.theme ?? (sample && existsSync('theme') ? 'theme' : undefined);
      const own = {
        ...(theme !== undefined && { theme: path.resolve(theme) }),
        ...(values.extend !== undefined && { extend: path.resolve(values.extend) }),
      };
      let config: LoadedConfig;
      let reload: (() => Promise<LoadedConfig>) | undefined;
      if (sample) {
        claimDemo('.demo');
        await mkdir('.demo', { recursive: true });
        const dealers = await writeDemoStock(sample.data.dealers, '.demo');
        const demo = demoConfig({ baseUrl: sample.baseUrl, siteUrl: server.origin, dealers });
        config = resolveConfig(
          { ...demo, site: { ...demo.site, ...own } },
          {
            file: path.resolve('.demo/site.config.json'),
            keysFor: 'dealers',
            env: { MEDIA_API_KEY: sample.mediaKey },
          },
        );
      } else {
        const file = values.config ?? defaultConfigFile();
        reload = async () => {
          const loaded = await loadConfig({ file, keysFor: 'dealers' });
          return { ...loaded, site: { ...loaded.site, ...own } };
        };
        config = await reload();
      }
      const cacheDir = path.resolve(
        values.cache ?? (sample ? '.demo/cache' : defaultCacheFolder()),
      );
      await using _watching = await showWhileChanging({
        config,
        cacheDir,
        server,
        console: console_,
        signal,
        ...(reload && { reload }),
      });
      tell(`The site is at ${server.origin}${siteAddress(config.site.url).base}/`);
      tell('Ctrl-C ends it.');
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      return EXIT.published;
    } finally {
      await Promise.all([server.close(), sample?.close()]);
    }
  },
);
