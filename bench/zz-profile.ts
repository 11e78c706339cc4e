import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { resolveConfig } from '../src/config/load.ts';
import { runner } from './media/bench-context.ts';
import { fillStore } from './support/filled-store.ts';
import { measureScript } from './support/measure.ts';
import { startStockServer } from './support/stock-server.ts';

const V = Number(process.env.V ?? 1000);
const dealers = Math.max(1, Math.round(V / 250));
const server = await startStockServer({
  dealers,
  vehiclesEach: Math.round(V / dealers),
  pictures: 20,
});
const config = {
  service: { baseUrl: server.baseUrl },
  site: { title: 'Bench', url: 'https://bench.example' },
  media: { revalidateAfter: '60d' as const },
  dealers: Array.from({ length: dealers }, (_, i) => ({
    id: i + 1,
    name: `Dealer ${i + 1}`,
    slug: `dealer-${i + 1}`,
  })),
};
const NOW = Date.UTC(2026, 2, 3);
const below = '/tmp/prof2/w';
await rm(below, { recursive: true, force: true });
const cacheDir = path.join(below, 'cache'),
  output = path.join(below, 'site');
const env = { MEDIA_API_KEY: '0123456789abcdef0123456789abcdef' };
await fillStore(resolveConfig(config, { file: 'bench', keysFor: 'dealers', env }), cacheDir, NOW);
const preload = new URL('../scripts/keep-compiled.js', import.meta.url).href;
for (const name of ['first', 'same', 'same', 'one', 'same']) {
  if (name === 'one') await server.night(1, 100);
  const args = ['--import', preload];
  if (process.env.PROF === name) args.push('--cpu-prof', '--cpu-prof-dir=/tmp/prof2/p');
  const c = await measureScript(runner('build'), { config, output, cacheDir, now: NOW }, args);
  const r = JSON.parse(c.output);
  console.log(
    name,
    c.wall.toFixed(2),
    c.cpu.toFixed(2),
    c.peak.toFixed(0),
    r.outcome,
    r.rendered,
    JSON.stringify(r.cpu),
  );
  if (name === 'one') await server.night(0, 100);
}
await (server as any).close?.();
process.exit(0);
