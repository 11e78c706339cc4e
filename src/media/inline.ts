import pMap from 'p-map';
import type { Runner } from './ports.ts';
import { openTools, settler } from './settle.ts';

/** Does the work in this process and its encoder. */
export const inlineRunner: Runner = {
  async run(plan, tell) {
    await using tools = openTools(plan);
    const settle = settler(tools, plan);
    const { downloads, encoders } = tools.bounds;
    // Downloads under way, pictures in the encoder, and no more waiting than that.
    await pMap(plan.works, async (work) => tell(work, await settle(work)), {
      concurrency: downloads + encoders,
    });
  },
};
