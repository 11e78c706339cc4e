/** The program of a worker process, see `worker.ts`. It builds dealers until none are left, and reports each chunk. */
import { tmpdir } from 'node:os';
import { SecretSearch } from '../../config/secret-search.ts';
import { toPlainError } from '../../errors.ts';
import { collectAllGarbage } from '../../lib/garbage-collection.ts';
import { readUserFiles } from '../../render/user-files.ts';
import { buildChunk, type ChunkOutcome, fetchChunks } from '../build/build-chunk.ts';
import { openBuild } from '../build/context.ts';
import { newChunk } from '../chunk/built-chunk.ts';
import { toError } from '../outcome/to-error.ts';
import { type Message, type Order, type Start, unpackConfig } from './messages.ts';

// A worker must not write after the main process has ended, because that process holds the locks.
process.on('disconnect', () => process.exit(1));
// The first process handles these signals and stops its workers.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
const parent = process.ppid;

let lastSent = Promise.resolve();
const send = (message: Message): void => {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.send?.(message, () => resolve());
  // Messages arrive in order, so waiting for the last one is enough.
  lastSent = promise;
};

let resolveDealers: ((dealers: readonly number[]) => void) | undefined;
process.on('message', (order: Order) => {
  if ('start' in order) void work(order.start);
  else resolveDealers?.(order.dealers);
});

async function work(start: Start): Promise<void> {
  const folders = [start.output, start.cacheDir, tmpdir()];
  const report = ({ chunk, error }: ChunkOutcome) => {
    const problem = error ? toError(error, [chunk], folders) : undefined;
    send({ built: chunk, error: problem && toPlainError(problem) });
  };
  try {
    await buildUntilNoneIsLeft(start, report);
  } catch (error) {
    report({ chunk: newChunk(), error });
  }
  await lastSent;
  process.exit();
}

async function buildUntilNoneIsLeft(
  { config: packed, forms, ...options }: Start,
  report: (built: ChunkOutcome) => void,
): Promise<void> {
  const config = unpackConfig(packed);
  const build = openBuild(
    { ...options, config },
    {
      userFiles: await readUserFiles(config, options.hide),
      search: new SecretSearch(forms),
      // The first process kills workers.
      signal: new AbortController().signal,
      // `disconnect` is handled only between events. Another build may have started by then.
      beforeWrite: () => {
        if (process.ppid !== parent) process.exit(1);
      },
      notify: (progress) => send({ progress }),
    },
  );
  await using _memory = build.memory;
  await using _pages = build.pages;
  const dealers = new Map(config.dealers.map((dealer) => [dealer.id, dealer]));
  const take = async () => {
    const { promise, resolve } = Promise.withResolvers<readonly number[]>();
    resolveDealers = resolve;
    send({ take: true });
    return (await promise).flatMap((id) => dealers.get(id) ?? []);
  };
  for await (const fetched of fetchChunks(build, take)) {
    const built = await buildChunk(fetched, build);
    report(built);
    if (built.error) return;
    // The first process has the chunk. Frees the copy in this process.
    collectAllGarbage();
  }
}
