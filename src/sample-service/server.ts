import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';
import { loadData } from './data/index.ts';
import type { SampleStore } from './data/store.ts';
import { PictureStore } from './drawing/picture-store.ts';
import { createListener } from './listener.ts';
import { SAMPLE_DEFAULTS, type SampleServiceOptions } from './options.ts';
import { Faults } from './state/faults.ts';
import { RequestLog } from './state/request-log.ts';

/** A running sample service. */
export interface SampleService {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  baseUrl: string;
  port: number;
  /** Key that GetMediaByDealer takes. */
  mediaKey: string;
  /** Key that MyVideos takes. */
  batchKey: string;
  /** Its data, which may be changed between two requests. */
  data: SampleStore;
  faults: Faults;
  /** Log of the requests to it. */
  requests: RequestLog;
  /** Ends the service and every open connection, hanging ones included. */
  close(): Promise<void>;
}

/**
 * Starts the service of the interface document on a loopback port.
 *
 * @throws ConfigError where a data folder cannot be used
 * @throws an Error with `code: 'EADDRINUSE'` where the port is taken, so that a caller may try the next
 */
export async function startSampleService(
  options: SampleServiceOptions = {},
): Promise<SampleService> {
  const settings = { ...SAMPLE_DEFAULTS, ...options };
  const data = await loadData({ ...settings, now: settings.now.getTime() });
  const faults = new Faults();
  const requests = new RequestLog();
  const stop = new AbortController();
  const server = createServer();
  const port = await listen(server, settings.port, settings.host);
  const baseUrl = `http://${settings.host}:${port}`;
  const app = createApp({
    baseUrl,
    data,
    faults,
    requests,
    pictures: new PictureStore(settings.seed, settings.pictureScale),
    fieldNames: settings.fieldNames,
    mediaKey: settings.mediaKey,
    batchKey: settings.batchKey,
    get now() {
      return settings.clock?.() ?? settings.now.getTime();
    },
  });
  server.on('request', createListener(app.fetch, faults, requests, stop.signal));
  return {
    baseUrl,
    port,
    mediaKey: settings.mediaKey,
    batchKey: settings.batchKey,
    data,
    faults,
    requests,
    close: () => close(server, stop),
  };
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function close(server: Server, stop: AbortController): Promise<void> {
  stop.abort();
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });
}
