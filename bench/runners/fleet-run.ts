/** One run over the queue with workers of its own; says how long it took once they were ready. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { enginesOf } from '../../src/config/engines.ts';
import { resolveConfig } from '../../src/config/load.ts';
import { openEngines } from '../../src/images/line/engines.ts';
import { runMediaLine } from '../../src/images/line/line.ts';
import { planSources } from '../../src/images/plan.ts';
import { recipeBook } from '../../src/images/recipe-book.ts';
import { claimCache } from '../../src/publish/folder-checks/check.ts';
import { mediaConfig } from './media-config.ts';
import { type StockInput, stockOf } from './stock.ts';

export interface FleetRunInput extends StockInput {
  cacheDir: string;
  /** Empty for one process without a queue. */
  queueUrl: string;
  workers: number;
  /** Each worker has a core of its own. */
  pinned: boolean;
}

const input: FleetRunInput = JSON.parse(process.argv[2] ?? '{}');
const { baseUrl, cacheDir, queueUrl } = input;
mkdirSync(path.dirname(cacheDir), { recursive: true });
const config = `${cacheDir}.json`;
const settings = {
  service: { baseUrl },
  site: { title: 'Bench', url: 'https://bench.example' },
};
writeFileSync(config, JSON.stringify(settings));
// As the build does that workers make thumbnails for.
await claimCache(cacheDir, resolveConfig(settings, { file: config, keysFor: 'none', env: {} }));
const script = fileURLToPath(new URL('../../scripts/run.ts', import.meta.url));
const workers = await Promise.all(
  Array.from({ length: input.workers }, async (_, core) => {
    const pin = input.pinned ? ['taskset', '-c', `${core}`] : [];
    const [program = '', ...options] = [
      ...[...pin, process.execPath, script, 'worker'],
      ...['--config', config, '--cache', cacheDir],
    ];
    const child = spawn(program, options, {
      env: { ...process.env, QUEUE_URL: queueUrl },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.stdout.resume();
    return child;
  }),
);
const media = mediaConfig(baseUrl);
await using open = await openEngines(
  enginesOf(queueUrl === '' ? {} : { QUEUE_URL: queueUrl }),
  cacheDir,
);
const started = performance.now();
const result = await runMediaLine({
  sources: planSources(stockOf(input), recipeBook(media)),
  media,
  baseUrl,
  cacheDir,
  now: Date.now(),
  engines: open.engines,
});
if (result.counts.failed > 0) throw new Error(JSON.stringify(result.failures.slice(0, 3)));
const seconds = (performance.now() - started) / 1000;
await result.removeUnplanned();
await Promise.all(
  workers.map(async (child) => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }),
);
console.log(JSON.stringify({ seconds, counts: result.counts }));
