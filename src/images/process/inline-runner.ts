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
    // The sum of both limits keeps downloads and encoders busy; more would only add waiting pictures.
    const one = async (work: PictureTask) => {
      const outcome = await processPicture(work);
      // A picture that was interrupted by the end of the run is neither failed nor done.
      if (!outcome.ok) plan.signal?.throwIfAborted();
      notify(work, outcome);
    };
    await pMap(plan.works, one, { concurrency: downloads + encoders });
  },
};
