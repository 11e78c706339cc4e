import { NEUTRAL_FIELD_NAMES } from '../contract/field-names.ts';
import { ConfigError, EXIT } from '../errors.ts';
import type { Run } from '../lib/command-line/definition.ts';
import { untilAborted } from '../lib/command-line/process.ts';
import { onFreePort } from '../lib/static-server/server.ts';
import { livePresent, REAL_FIELD_NAMES, startSampleService } from '../sample-service/index.ts';
import { DEFAULT_PORT, type SERVICE_OPTIONS } from './options.ts';

function portError(error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return error;
  return new ConfigError({
    code: 'port-taken',
    what: 'The port is in use.',
    why: 'Another program of this machine listens on it.',
    fix: 'Name another with --port, or let the system choose with --port 0.',
    cause: error,
  });
}

export const run: Run<typeof SERVICE_OPTIONS> = async ({ values }, { stdout, signal }) => {
  const options = {
    seed: values.seed,
    dealers: values.dealers,
    vehicles: values.vehicles,
    images: values.images,
    ...(values.now === undefined ? livePresent() : { now: new Date(values.now) }),
    dataFolder: values.data,
    fieldNames: values['real-names'] ? REAL_FIELD_NAMES : NEUTRAL_FIELD_NAMES,
  };
  const startOn = (port: number) => startSampleService({ ...options, port });
  // Only the default port may be replaced by the next free one.
  await using service =
    values.port === undefined
      ? await onFreePort(DEFAULT_PORT, startOn, (text) => stdout.write(`${text}\n`))
      : await startOn(values.port).catch((error) => {
          throw portError(error);
        });
  const [dealer] = service.data.dealers;
  const [account] = service.data.accounts;
  const lines = [
    `Sample service: ${service.baseUrl}`,
    `  Key of GetMediaByDealer: ${service.mediaKey}`,
    `  Key of MyVideos:         ${service.batchKey}`,
  ];
  if (dealer) {
    lines.push(
      `  ${service.baseUrl}/PublicAPI/GetMediaByDealer?apiKey=${service.mediaKey}&dealerId=${dealer.id}`,
    );
  }
  if (account) {
    lines.push(
      `  ${service.baseUrl}/PublicAPI/MyVideos/v1/cakes/${encodeURIComponent(account.pathId)}?customerId=${encodeURIComponent(account.customerId)}&apiKey=${service.batchKey}&daysOfHistory=30`,
    );
  }
  lines.push(`  ${service.baseUrl}/openapi.json`, 'Ctrl-C stops it.', '');
  stdout.write(lines.join('\n'));
  await untilAborted(signal);
  return EXIT.published;
};
