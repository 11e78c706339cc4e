/**
 * The program of a worker, see `pool.ts`: it takes dealers until none is left, and reports the result of
 * each chunk.
 */
import { SecretSearch } from '../../config/secret-search.ts';
import { toPlainError } from '../../errors.ts';
import { collectAllGarbage } from '../../lib/garbage-collection.ts';
import { readOwnFiles } from '../../render/own-files.ts';
import { type BuiltChunk, newChunk } from '../chunk/built-chunk.ts';
import { newState, toError } from '../outcome/run-state.ts';
import { buildChunks } from './chunks.ts';
import { openContext } from './context.ts';
import type { Message, Order, Start } from './messages.ts';
import { unpackConfig } from './worker-config.ts';

const stop = new AbortController();
// A worker must not write after the build that holds the locks has ended.
process.on('disconnect', () => process.exit(1));
// The first process handles these signals and stops its workers.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
const parent = process.ppid;

let sent = Promise.resolve();
const send = (message: Message): void => {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.send?.(message, () => resolve());
  // Messages arrive in the order in which they are sent, so waiting for the last one is enough.
  sent = promise;
};

let given: ((dealers: readonly number[]) => void) | undefined;
process.on('message', (order: Order) => {
  if ('start' in order) void work(order.start);
  else given?.(order.dealers);
});

async function work({ config: packed, forms, ...start }: Start): Promise<void> {
  const config = unpackConfig(packed);
  const dealers = new Map(config.dealers.map((dealer) => [dealer.id, dealer]));
  let chunk: BuiltChunk = newChunk();
  try {
    const context = openContext(
      { ...start, config, options: { ...start.options, signal: stop.signal } },
      {
        own: await readOwnFiles(config, {}),
        search: new SecretSearch(forms),
        // `disconnect` is handled only between events; by then another build may have begun.
        beforeWrite: () => {
          if (process.ppid !== parent) process.exit(1);
        },
        notify: (progress) => send({ progress }),
      },
    );
    await using _memory = context.memory;
    await buildChunks(context, {
      take: async () => {
        const { promise, resolve } = Promise.withResolvers<readonly number[]>();
        given = resolve;
        send({ take: true });
        return (await promise).flatMap((id) => dealers.get(id) ?? []);
      },
      onChunk: (one) => {
        chunk = one;
      },
      onBuilt: (built) => {
        send({ built });
        // The parent has the chunk; frees this process's copy.
        collectAllGarbage();
      },
    });
  } catch (cause) {
    const folders = [start.output, start.options.cacheDir];
    const error = toError(cause, { ...newState(), chunks: [chunk] }, folders);
    send({ failed: toPlainError(error), chunk });
  }
  await sent;
  process.exit();
}
