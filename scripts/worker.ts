import { createServer } from 'node:http';
import path from 'node:path';
import { defaultConfigFile, loadConfig, readEngines } from '../src/config/load.ts';
import { ConfigError, EXIT } from '../src/errors.ts';
import { openWorker } from '../src/images/line/engines.ts';
import { createConsole } from '../src/lib/terminal/progress.ts';
import { claimCache } from '../src/publish/folders/check.ts';
import { mediaOf } from '../src/videos/configured.ts';
import { runCommand } from './cli.ts';

const usage = `
Makes thumbnails for builds that run elsewhere: takes vehicles from the queue of QUEUE_URL and puts
their thumbnails into the store of STORE_URL, until it is stopped (Ctrl-C finishes what is under way).
Start one on each machine; docs/scale.md says more.

npm run worker -- [options]
  --config FILE        the same configuration as the build's; its keys are not needed
  --cache DIR          without STORE_URL: the build's cache folder, shared with it; default .cache
  --metrics-port N     figures for Prometheus, at http://127.0.0.1:N/metrics
  --quiet              only what goes wrong
  --debug              show stack traces
`;

await runCommand(
  {
    usage,
    options: {
      config: { type: 'string' },
      cache: { type: 'string', default: '.cache' },
      'metrics-port': { type: 'string' },
      quiet: { type: 'boolean' },
    },
  },
  async ({ values }, signal) => {
    const config = await loadConfig({ file: values.config ?? defaultConfigFile() });
    const console = createConsole({ stream: process.stdout, quiet: values.quiet === true });
    const engines = readEngines();
    const cacheDir = path.resolve(values.cache);
    if (!engines.store) await claimCache(cacheDir, config);
    const worker = await openWorker({
      engines,
      cacheDir,
      media: mediaOf(config),
      baseUrl: config.service.baseUrl,
      tell: (line) => console.line(line),
    });
    if (!worker) {
      throw new ConfigError({
        code: 'worker-no-queue',
        what: 'There is no queue to work for.',
        why: 'The environment variable QUEUE_URL is not set.',
        fix: 'Set it to the address of the Redis that the build uses, such as redis://queue.example:6379.',
      });
    }
    const metrics = values['metrics-port'];
    const server =
      metrics === undefined ? undefined : serveMetrics(portOf(metrics), worker.metrics);
    console.line('Waiting for vehicles.');
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    server?.close();
    await worker.close();
    // Connections to a Redis that is away would keep the process, trying for ever.
    process.exit(EXIT.published);
  },
);

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new ConfigError({
    code: 'argument-port',
    what: `--metrics-port ${text} is no port.`,
    fix: 'Write a whole number from 1 to 65535.',
  });
}

/** Answers on this machine alone; whoever collects figures from elsewhere puts a proxy before it. */
function serveMetrics(port: number, read: () => Promise<string>) {
  return createServer((request, response) => {
    if (request.url !== '/metrics') return response.writeHead(404).end();
    read().then(
      (text) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(text),
      () => response.writeHead(503).end(),
    );
    return undefined;
  }).listen(port, '127.0.0.1');
}
