import pMap from 'p-map';
import { outputsIn } from '../stores/intact-outputs.ts';
import { openTools, pictureProcessor } from './process-picture.ts';
import type { PictureTask, ProcessPictures } from './tasks.ts';

/** Processes pictures in this process and its encoder. */
export const processHere: ProcessPictures = async (plan, notify) => {
  const { tasks, folder, limit, signal } = plan;
  await using tools = openTools(plan);
  const findOutputs = async (hash: string) => outputsIn(folder, hash);
  const processPicture = pictureProcessor(tools, { ...plan, findOutputs });
  const { downloads, encoders } = tools.bounds;
  // The sum of both limits keeps downloads and encoders busy. More would only add waiting pictures.
  const processTask = async (task: PictureTask) => {
    if (limit && !limit.time.mayBegin(task, limit.urgent)) return;
    const outcome = await processPicture(task);
    // A picture that was interrupted by the end of the run is neither failed nor done.
    if (!outcome.ok) signal?.throwIfAborted();
    notify(task, outcome);
  };
  await pMap(tasks, processTask, { concurrency: downloads + encoders });
};
