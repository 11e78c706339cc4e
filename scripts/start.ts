import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { loadConfig } from '../src/config/load.ts';
import type { UserConfig } from '../src/config/schema.ts';
import { describeError, EXIT } from '../src/errors.ts';
import { makeFolder } from '../src/lib/files/write.ts';
import { createConsole } from '../src/lib/terminal/progress.ts';
import { claimDemo } from '../src/publish/folders/check.ts';
import { runAndReport } from '../src/publish/outcome.ts';
import { runBuild } from '../src/publish/run.ts';
import { livePresent, REAL_FIELD_NAMES, startSampleService } from '../src/sample-service/index.ts';
import { LAST_PORT, runCommand, wholeNumber } from './cli.ts';
import { DEMO_SHAPE, demoConfig } from './demo-config.ts';
import { writeDemoStock } from './demo-stock.ts';
import { onFreePort, startStaticServer } from './static-server.ts';

const usage = `
Shows the project at work: starts the sample service on this machine, builds its site exactly as a
real one is built, serves it, and prints where to look.

npm start -- [options]
  --port N          port of the site; default 8080
  --service-port N  port of the sample service; default 8701
  --vehicles N      vehicles per dealer; default 10, enough for every odd plate and kind of video
  --folder DIR      where it works; default .demo
  --real-names      let the service write youTubeUrl and so on, as a live one does
  --once            build, say where, and end
  --quiet           only warnings and errors

Ctrl-C ends everything that was started.
`;

await runCommand(
  {
    usage,
    options: {
      port: { type: 'string', default: '8080' },
      'service-port': { type: 'string', default: '8701' },
      vehicles: { type: 'string', default: String(DEMO_SHAPE.vehicles) },
      folder: { type: 'string', default: '.demo' },
      'real-names': { type: 'boolean' },
      once: { type: 'boolean' },
      quiet: { type: 'boolean' },
    },
  },
  async ({ values }, signal) => {
    const console_ = createConsole({ stream: process.stdout, quiet: values.quiet === true });
    // Before anything is started that a wrong one would leave running.
    const port = wholeNumber('port', values.port, LAST_PORT);
    const servicePort = wholeNumber('service-port', values['service-port'], LAST_PORT);
    const vehicles = wholeNumber('vehicles', values.vehicles, 100_000);
    const folder = path.resolve(values.folder);
    claimDemo(folder);
    const realNames = values['real-names'] === true;
    const output = path.join(folder, 'site');
    // The server warns of a folder that is not there.
    makeFolder(output);
    const service = await onFreePort(
      servicePort,
      (free) =>
        startSampleService({
          ...livePresent(),
          port: free,
          ...DEMO_SHAPE,
          vehicles,
          ...(realNames && { fieldNames: REAL_FIELD_NAMES }),
        }),
      (text) => console_.line(text),
    );
    console_.line(`Sample service: ${service.baseUrl}`);
    const site = await onFreePort(
      port,
      (free) => startStaticServer({ folder: output, port: free }),
      (text) => console_.line(text),
    );
    try {
      const config: UserConfig = demoConfig({
        baseUrl: service.baseUrl,
        siteUrl: site.url,
        dealers: await writeDemoStock(service.data.dealers, folder),
        ...(realNames && { fieldNames: REAL_FIELD_NAMES }),
      });
      const file = path.join(folder, 'site.config.json');
      await writeFile(file, `${JSON.stringify(config, null, 2)}\n`);
      const result = await runAndReport({
        loadConfig: () =>
          loadConfig({
            file,
            keysFor: 'dealers',
            env: { MEDIA_API_KEY: service.mediaKey },
          }),
        reportFile: path.join(folder, 'build-report.json'),
        summaryFile: undefined,
        console: console_,
        run: (config) =>
          runBuild({
            config,
            output,
            cacheDir: path.join(folder, 'cache'),
            console: console_,
            signal,
          }),
      });
      if (result.error) {
        console.error(describeError(result.error));
        return result.exitCode;
      }
      console_.line('');
      console_.line(`The site is at ${site.url}`);
      const example = result.report.dealers[0];
      if (example) console_.line(`  a dealer:  ${site.url}${example.slug}/`);
      console_.line(`  its files: ${output}`);
      console_.line(`  report:    ${path.join(folder, 'build-report.json')}`);
      console_.line('Ctrl-C ends it.');
      if (values.once !== true) await ended(signal);
      return EXIT.published;
    } finally {
      await Promise.all([service.close(), site.close()]);
    }
  },
);

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
