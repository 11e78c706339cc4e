/**
 * The program of a worker, see `pool.ts`: it takes dealers until none is left, and says what came of
 * each chunk of them.
 */
import { SecretSearch } from '../../config/secret-search.ts';
import { collectAllGarbage } from '../../lib/garbage-collection.ts';
import { readOwnFiles } from '../../render/own-files.ts';
import { type BuiltChunk, newChunk } from '../chunk/built-chunk.ts';
import { packChunk, packError, unpackConfig } from '../chunk/wire.ts';
import { newState, toError } from '../outcome/run-state.ts';
import { buildChunkes } from './chunks.ts';
import { openContext } from './context.ts';
import type { Message, Order, Start } from './messages.ts';

const stop = new AbortController();
// Nobody may write once the build that holds the locks is gone.
process.on('disconnect', () => process.exit(1));
// Who stops a build is heard by its first process, which stops the others.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
const parent = process.ppid;

let said = Promise.resolve();
const say = (message: Message): void => {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.send?.(message, () => resolve());
  // Sent one after the other, so the last is the last to arrive.
  said = promise;
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
        // Between two events nobody hears that the build is gone, and another may have begun.
        beforeWrite: () => {
          if (process.ppid !== parent) process.exit(1);
        },
        notify: (progress) => say({ progress }),
      },
    );
    await using _memory = context.memory;
    await buildChunkes(context, {
      take: async () => {
        const { promise, resolve } = Promise.withResolvers<readonly number[]>();
        given = resolve;
        say({ take: true });
        return (await promise).flatMap((id) => dealers.get(id) ?? []);
      },
      onChunk: (one) => {
        chunk = one;
      },
      onBuilt: (built) => {
        say({ built: packChunk(built) });
        // What is left of it is the parent's.
        collectAllGarbage();
      },
    });
  } catch (cause) {
    const folders = [start.output, start.options.cacheDir];
    const error = toError(cause, { ...newState(), chunks: [chunk] }, folders);
    say({ failed: packError(error), chunk: packChunk(chunk) });
  }
  await said;
  process.exit();
}
