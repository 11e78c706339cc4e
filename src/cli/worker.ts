import { createServer } from 'node:http';
import { enginesOf } from '../config/engines.ts';
import { configFile } from '../config/environment.ts';
import { loadConfig } from '../config/load.ts';
import { ConfigError, EXIT } from '../errors.ts';
import { openWorker } from '../images/pipeline/engines.ts';
import type { Run } from '../lib/command-line/definition.ts';
import { untilAborted } from '../lib/command-line/process.ts';
import { listenOnLoopback } from '../lib/http/loopback.ts';
import { createConsole } from '../lib/terminal/progress.ts';
import { claimCache } from '../publish/folder-checks/check.ts';
import { mediaOf } from '../videos/configured.ts';
import type { WORKER_OPTIONS } from './options.ts';

export const run: Run<typeof WORKER_OPTIONS> = async ({ values }, io) => {
  const { stdout, signal, env } = io;
  const config = await loadConfig({ file: configFile(values, io), env });
  const console = createConsole({ stream: stdout, quiet: values.quiet });
  const engines = enginesOf(env);
  if (!engines.store) claimCache(values.cache, config);
  await using worker = await openWorker(engines, {
    cacheDir: values.cache,
    media: mediaOf(config),
    baseUrl: config.service.baseUrl,
    console,
  });
  if (!worker) {
    throw new ConfigError({
      code: 'worker-no-queue',
      what: 'No queue is configured.',
      why: 'The environment variable QUEUE_URL is not set.',
      fix: 'Set it to the URL of the Redis server that the build uses, such as redis://queue.example:6379.',
    });
  }
  const port = values['metrics-port'];
  await using _metrics = port === undefined ? undefined : await serveMetrics(port, worker.metrics);
  console.line('Waiting for vehicles.');
  await untilAborted(signal);
  return EXIT.published;
};

/** Listens on this machine only. To collect metrics from another machine, put a proxy in front. */
function serveMetrics(port: number, read: () => Promise<string>) {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') return response.writeHead(404).end();
    read().then(
      (text) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(text),
      (error: Error) => response.writeHead(503).end(`${error.message}\n`),
    );
    return undefined;
  });
  return listenOnLoopback(server, port);
}
