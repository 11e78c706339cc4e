import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { SampleServiceOptions } from '../../../src/sample-service/options.ts';
import {
  type SampleService as Service,
  startSampleService as start,
} from '../../../src/sample-service/server.ts';
import { Faults } from './faults.ts';
import { RequestLog } from './request-log.ts';

/** A sample service whose requests are logged and can fail. */
export interface SampleService extends Service {
  faults: Faults;
  requests: RequestLog;
}

/** Starts the sample service with a log of its requests and with faults. */
export async function startSampleService(
  options: SampleServiceOptions = {},
): Promise<SampleService> {
  const faults = new Faults();
  const requests = new RequestLog();
  const service = await start({
    ...options,
    middleware: (context: Context<{ Bindings: HttpBindings }>, next) => {
      requests.record(context.env.incoming, context.env.outgoing);
      return faults.middleware(context, next);
    },
  });
  return Object.assign(service, { faults, requests });
}
