import pMap from 'p-map';
import type { PictureTask, Runner } from '../ports.ts';
import { outputsIn } from '../stores/intact-outputs.ts';
import { openTools, pictureProcessor } from './process-picture.ts';

/** Does the work in this process and its encoder. */
export const inlineRunner: Runner = {
  async run(plan, notify) {
    await using tools = openTools(plan);
    const look = async (hash: string) => outputsIn(plan.folder, hash);
    const processPicture = pictureProcessor(tools, { ...plan, look });
    const { downloads, encoders } = tools.bounds;
    // Downloads under way, pictures in the encoder, and no more waiting than that.
    const one = async (work: PictureTask) => {
      const outcome = await processPicture(work);
      // What was cut off by the end of the run did not fail, and is not done.
      if (!outcome.ok) plan.signal?.throwIfAborted();
      notify(work, outcome);
    };
    await pMap(plan.works, one, { concurrency: downloads + encoders });
  },
};
