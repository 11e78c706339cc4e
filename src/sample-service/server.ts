import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { listenOnLoopback } from '../lib/http/loopback.ts';
import { generateAccounts } from './data/batches.ts';
import { readDataFolder } from './data/folder.ts';
import { type SampleData, SampleStore } from './data/store.ts';
import { generateDealers } from './data/vehicles.ts';
import { PictureStore } from './drawing/draw.ts';
import { SAMPLE_DEFAULTS, SAMPLE_KEYS, type SampleServiceOptions } from './options.ts';
import { addOperations, problem, type ServiceContext } from './routes/operations.ts';
import { addPages, addPictures } from './routes/pages.ts';

/** A running sample service. Its disposal ends all open connections, even if they hang. */
export type SampleService = Awaited<ReturnType<typeof startSampleService>>;

type Settings = SampleServiceOptions &
  Required<Pick<SampleServiceOptions, keyof typeof SAMPLE_DEFAULTS>>;

/** Data from a literal, otherwise from a folder, otherwise from a seed with counts. */
async function dataOf({ data, dataFolder, ...shape }: Settings): Promise<SampleData> {
  if (data) return data;
  if (dataFolder) return readDataFolder(dataFolder);
  const now = shape.now.getTime();
  const dealers = generateDealers({ ...shape, now });
  return { dealers, accounts: generateAccounts(shape.seed, now, dealers) };
}

/**
 * Starts the service of the interface document on a loopback port.
 *
 * @throws {ConfigError} the data folder cannot be used
 * @throws an Error with `code: 'EADDRINUSE'` if the port is taken, so that a caller may try the next
 */
export async function startSampleService(options: SampleServiceOptions = {}) {
  const settings: Settings = { ...SAMPLE_DEFAULTS, ...options };
  const data = new SampleStore(await dataOf(settings));
  const server = createServer();
  // Loopback only, because the service has no protection for other networks.
  const listening = await listenOnLoopback(server, settings.port);
  const baseUrl = `http://127.0.0.1:${listening.port}`;
  const context: ServiceContext = {
    baseUrl,
    data,
    pictures: new PictureStore(settings.seed, settings.pictureScale),
    fieldNames: settings.fieldNames,
    ...SAMPLE_KEYS,
    get now() {
      return settings.clock?.() ?? settings.now.getTime();
    },
  };
  const app = new Hono();
  if (settings.middleware) app.use(settings.middleware);
  for (const addRoutes of [addOperations, addPictures, addPages]) addRoutes(app, context);
  app.notFound((c) => problem(c, 404, 'No such address'));
  server.on('request', getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  return {
    ...listening,
    /** `http://127.0.0.1:PORT`, without a slash at the end. */
    baseUrl,
    ...SAMPLE_KEYS,
    /** May be changed between two requests. */
    data,
  };
}
