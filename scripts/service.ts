import { ConfigError, EXIT } from '../src/errors.ts';
import {
  livePresent,
  REAL_FIELD_NAMES,
  SAMPLE_DEFAULTS,
  startSampleService,
} from '../src/sample-service/index.ts';
import { LAST_PORT, runCommand, wholeNumber } from './cli.ts';
import { onFreePort } from './static-server.ts';

const DEFAULT_PORT = 8701;

const usage = `
Starts the sample service on this machine, for demos, tests and theme work.

npm run service -- [options]
  --port N        port, 0 for any free one; the default is ${DEFAULT_PORT} or the next free one
  --seed N        the same seed gives the same data       (${SAMPLE_DEFAULTS.seed})
  --dealers N     dealers, with ids from 7001 up          (${SAMPLE_DEFAULTS.dealers})
  --vehicles N    vehicles per dealer                     (${SAMPLE_DEFAULTS.vehicles})
  --images N      images per vehicle, about               (${SAMPLE_DEFAULTS.images})
  --data DIR      answer from a folder of JSON instead (see docs/service.md)
  --real-names    write youTubeUrl, ${REAL_FIELD_NAMES.socialClicks}, … in place of the neutral names
  --media-key K   key that GetMediaByDealer takes
  --batch-key K   key that MyVideos takes, in the form 8-4-4-4-12
  --now TIME      the service's present moment, ISO 8601, where it then stands still (the present)

Ctrl-C ends it.
`;

function present(text: string | undefined) {
  if (text === undefined) return livePresent();
  const now = new Date(text);
  if (!Number.isNaN(now.getTime())) return { now };
  throw new ConfigError({
    code: 'argument-invalid',
    what: '--now cannot be used.',
    why: 'It is no time.',
    fix: 'Write it in ISO 8601, such as 2026-03-02T02:00:00Z.',
  });
}

function portTaken(error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return error;
  return new ConfigError({
    code: 'port-taken',
    what: 'The port is in use.',
    why: 'Another program of this machine listens on it.',
    fix: 'Name another with --port, or let the system choose with --port 0.',
    cause: error,
  });
}

await runCommand(
  {
    usage,
    takesKeys: true,
    options: {
      port: { type: 'string' },
      seed: { type: 'string', default: String(SAMPLE_DEFAULTS.seed) },
      dealers: { type: 'string', default: String(SAMPLE_DEFAULTS.dealers) },
      vehicles: { type: 'string', default: String(SAMPLE_DEFAULTS.vehicles) },
      images: { type: 'string', default: String(SAMPLE_DEFAULTS.images) },
      data: { type: 'string' },
      'real-names': { type: 'boolean', default: false },
      'media-key': { type: 'string', default: SAMPLE_DEFAULTS.mediaKey },
      'batch-key': { type: 'string', default: SAMPLE_DEFAULTS.batchKey },
      now: { type: 'string' },
    },
  },
  async ({ values }, signal) => {
    const options = {
      seed: wholeNumber('seed', values.seed),
      dealers: wholeNumber('dealers', values.dealers, 20_000),
      vehicles: wholeNumber('vehicles', values.vehicles, 100_000),
      images: wholeNumber('images', values.images, 500),
      mediaKey: values['media-key'],
      batchKey: values['batch-key'],
      ...present(values.now),
      ...(values.data === undefined ? {} : { dataFolder: values.data }),
      ...(values['real-names'] ? { fieldNames: REAL_FIELD_NAMES } : {}),
    };
    const startOn = (port: number) => startSampleService({ ...options, port });
    // A port that somebody named is meant; the usual one may be another's.
    const service =
      values.port === undefined
        ? await onFreePort(DEFAULT_PORT, startOn, console.log)
        : await startOn(wholeNumber('port', values.port, LAST_PORT)).catch((error) => {
            throw portTaken(error);
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
    lines.push(`  ${service.baseUrl}/openapi.json`, 'Ctrl-C ends it.', '');
    process.stdout.write(lines.join('\n'));
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await service.close();
    return EXIT.published;
  },
);
