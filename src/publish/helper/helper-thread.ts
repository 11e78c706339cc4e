/**
 * The program of the helper, see `helper.ts`. It answers each order before it takes the next.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { sweepAll } from '../../media/sweep.ts';
import { openFolder } from '../tree/place.ts';
import { type InspectContext, type Inspected, openInspector } from '../verify/inspect.ts';
import { SWEPT } from '../verify/lanes.ts';
import type { Answer, Order } from './orders.ts';

const context = workerData as Omit<InspectContext, 'personalWords'>;
const put = openFolder(context.folder);
let seen = 0;
let look: ((file: string) => Inspected) | undefined;

function carryOut(order: Order): Answer {
  if ('inspect' in order) {
    look ??= openInspector({ ...context, personalWords: order.personalWords });
    seen += order.inspect.length;
    if (seen >= SWEPT) {
      sweepAll();
      seen = 0;
    }
    return { inspected: order.inspect.map(look) };
  }
  const { buffer } = order.write.bytes;
  for (const [file, start, end] of order.write.files) {
    put(file, new Uint8Array(buffer, start, end - start));
  }
  return { written: buffer };
}

function answer(order: Order): Answer {
  try {
    return carryOut(order);
  } catch (error) {
    const { message, code, path } = error as NodeJS.ErrnoException;
    return { failed: { message, code, path } };
  }
}

parentPort?.on('message', (order: Order) => {
  const told = answer(order);
  parentPort?.postMessage(told, 'written' in told ? [told.written] : []);
});
