import { NEUTRAL_FIELD_NAMES } from '../contract/field-names.ts';
import { EXIT } from '../errors.ts';
import type { Run } from '../lib/command-line/definition.ts';
import { untilAborted } from '../lib/command-line/process.ts';
import { onFreePort } from '../lib/static-server/server.ts';
import { livePresent, REAL_FIELD_NAMES } from '../sample-service/options.ts';
import { startSampleService } from '../sample-service/server.ts';
import type { SERVICE_OPTIONS } from './options.ts';

export const run: Run<typeof SERVICE_OPTIONS> = async ({ values }, { stdout, signal }) => {
  const { port, seed, dealers, vehicles, images, data: dataFolder } = values;
  const notify = (text: string) => stdout.write(`${text}\n`);
  const options = {
    seed,
    dealers,
    vehicles,
    images,
    dataFolder,
    ...(values.now === undefined ? livePresent() : { now: new Date(values.now) }),
    fieldNames: values['real-names'] ? REAL_FIELD_NAMES : NEUTRAL_FIELD_NAMES,
  };
  const start = (free: number) => startSampleService({ ...options, port: free });
  await using service = await onFreePort(port, start, notify);
  notify(`Sample service: ${service.baseUrl}`);
  notify(`  Key of GetMediaByDealer: ${service.mediaKey}`);
  notify(`  Key of MyVideos:         ${service.batchKey}`);
  notify('Its front page lists a request for each dealer and account. Ctrl-C stops it.');
  await untilAborted(signal);
  return EXIT.published;
};
