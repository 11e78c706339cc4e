import { cp, rm } from 'node:fs/promises';
import { mediaConfig } from '../runners/media-config.ts';
import { pictureNumber } from '../runners/stock.ts';
import { measureScript } from '../support/measure.ts';
import type { Row } from '../support/report.ts';
import { type BenchContext, runner } from './bench-context.ts';

const DAY = 86_400_000;

/**
 * Eleven nights of a scheduled build in CI: each starts from a restored copy of the cache of the
 * night before, with new modification times. Each later night 2 % of the vehicles are updated and
 * all of their pictures replaced. Bytes are counted by the server.
 */
export async function nights({ workspace, server, short }: BenchContext): Promise<Row[]> {
  const [nightCount, vehicles, pictures] = short ? [2, 2, 2] : [11, 50, 12];
  const changed = Math.max(1, vehicles * 0.02);
  const media = mediaConfig(server.baseUrl);
  const start = Date.now();
  const updates: Record<number, number> = {};
  const sent: number[] = [];
  let cacheDir = workspace.fresh('night');
  await server.takeBytes();
  console.log(`${nightCount} nights of ${vehicles} vehicles × ${pictures} pictures:`);
  for (let night = 0; night < nightCount; night++) {
    if (night > 0) {
      const restored = workspace.fresh('night');
      await cp(cacheDir, restored, { recursive: true });
      await rm(cacheDir, { recursive: true });
      cacheDir = restored;
      for (let index = 0; index < changed; index++) {
        const vehicle = (night * 7 + index * 31) % vehicles;
        updates[vehicle] = night;
        const numbers = Array.from({ length: pictures }, (_, picture) =>
          pictureNumber(vehicle, picture, pictures),
        );
        await server.revise(numbers);
      }
    }
    const { output } = await measureScript(runner('night'), {
      baseUrl: server.baseUrl,
      vehicles,
      pictures,
      updates,
      cacheDir,
      media,
      now: start + night * DAY,
    });
    sent.push(await server.takeBytes());
    console.log(
      `  night ${night + 1}: ${((sent[night] ?? 0) / 1e6).toFixed(1)} MB ${output.trim()}`,
    );
  }
  const [first = 1, ...later] = sent;
  const shares = later.map((bytes) => bytes / first);
  const largest = Math.max(...shares);
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  return [
    {
      id: 'nights',
      cells: {
        Measurement: `${nightCount} CI nights, 2 % of the vehicles changing each (all their pictures replaced), cache restored`,
        Result: `largest later build ${percent(largest)} of the first build's bytes, mean ${percent(mean)}`,
      },
      target: 'each under 3 %',
      met: largest < 0.03,
      details: { bytes: sent },
    },
  ];
}
