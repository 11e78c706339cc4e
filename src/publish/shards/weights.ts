import path from 'node:path';
import pMap from 'p-map';
import type { LoadedConfig } from '../../config/load.ts';
import { AppError, GateError, printable } from '../../errors.ts';
import { getMediaByDealer } from '../../service/media-by-dealer.ts';
import { acceptAnswer } from '../../stock/accept.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import { BuildMemory } from '../memory/memory.ts';
import type { Weight } from './balance.ts';

export interface WeighOptions {
  config: LoadedConfig;
  cacheDir: string;
  signal?: AbortSignal;
  /** Called for each dealer that could not be fetched. */
  warn: (text: string) => void;
}

const interrupted = () =>
  new GateError({
    code: 'plan-interrupted',
    what: 'The plan was interrupted.',
    why: 'A person or the scheduler stopped it.',
    fix: 'Run it again. A plan that was kept is as it was.',
  });

const weightOf = (id: number, vehicles: readonly Vehicle[]): Weight => {
  const pictures = vehicles.reduce((sum, { media }) => sum + media.length, 0);
  return { id, vehicles: vehicles.length, pictures };
};

/**
 * Weight of each dealer: by its last good answer, if the cache has it, else by what the
 * service answers now. A dealer that cannot be fetched gets an average weight: the build of its shard
 * reports the problem.
 *
 * @throws {GateError} it was stopped: half of the weights would make a lopsided plan.
 */
export async function weigh({ config, cacheDir, signal, warn }: WeighOptions): Promise<Weight[]> {
  const memory = new BuildMemory(config, { cacheDir });
  const weighed = await pMap(
    config.dealers,
    async (dealer): Promise<Weight | undefined> => {
      const { id } = dealer;
      const { last } = await memory.of(dealer);
      if (last) return weightOf(id, last.vehicles);
      try {
        const body = await getMediaByDealer({
          service: config.service,
          dealer,
          cacheDir: path.join(cacheDir, 'service'),
          ...(signal && { signal }),
        });
        return weightOf(id, acceptAnswer(body, id, config.service.fieldNames).vehicles);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (signal?.aborted) throw interrupted();
        warn(`${printable(dealer.name)} counts as an ordinary dealer: ${error.message}`);
        return undefined;
      }
    },
    { concurrency: config.service.concurrency },
  );
  const known = weighed.filter((weight) => weight !== undefined);
  const middle = known.toSorted((a, b) => a.pictures - b.pictures)[known.length >> 1];
  const ordinary = { vehicles: middle?.vehicles ?? 1, pictures: middle?.pictures ?? 1 };
  return weighed.map(
    (weight, index) => weight ?? { id: config.dealers[index]?.id ?? 0, ...ordinary },
  );
}
