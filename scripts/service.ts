import { parseArgs } from 'node:util';
import { ConfigError, describeError } from '../src/errors.ts';
import {
  REAL_FIELD_NAMES,
  SAMPLE_DEFAULTS,
  type SampleServiceOptions,
  startSampleService,
} from '../src/sample-service/index.ts';

const DEFAULT_PORT = 8701;

const HELP = `Usage: npm run service -- [options]

Starts the sample service on this machine, for demos, tests and theme work.

  --port N        port to listen on, 0 for any free one   (${DEFAULT_PORT})
  --seed N        the same seed gives the same data       (${SAMPLE_DEFAULTS.seed})
  --dealers N     dealers, with ids from 7001 up          (${SAMPLE_DEFAULTS.dealers})
  --vehicles N    vehicles per dealer                     (${SAMPLE_DEFAULTS.vehicles})
  --images N      images per vehicle, about               (${SAMPLE_DEFAULTS.images})
  --data DIR      answer from a folder of JSON instead (see docs/service.md)
  --real-names    write youTubeUrl, ${REAL_FIELD_NAMES.socialClicks}, … in place of the neutral names
  --media-key K   key that GetMediaByDealer takes
  --batch-key K   key that MyVideos takes, in the form 8-4-4-4-12
  --now TIME      the service's present moment, ISO 8601  (${SAMPLE_DEFAULTS.now.toISOString()})
  --help          this text
`;

function readArguments(): SampleServiceOptions | 'help' {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      seed: { type: 'string' },
      dealers: { type: 'string' },
      vehicles: { type: 'string' },
      images: { type: 'string' },
      data: { type: 'string' },
      'real-names': { type: 'boolean', default: false },
      'media-key': { type: 'string' },
      'batch-key': { type: 'string' },
      now: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    port: wholeNumber('port', values.port, DEFAULT_PORT, 65_535),
    seed: wholeNumber('seed', values.seed, SAMPLE_DEFAULTS.seed),
    dealers: wholeNumber('dealers', values.dealers, SAMPLE_DEFAULTS.dealers, 20_000),
    vehicles: wholeNumber('vehicles', values.vehicles, SAMPLE_DEFAULTS.vehicles, 100_000),
    images: wholeNumber('images', values.images, SAMPLE_DEFAULTS.images, 500),
    mediaKey: values['media-key'] ?? SAMPLE_DEFAULTS.mediaKey,
    batchKey: values['batch-key'] ?? SAMPLE_DEFAULTS.batchKey,
    now: moment(values.now),
    ...(values.data === undefined ? {} : { dataFolder: values.data }),
    ...(values['real-names'] ? { fieldNames: REAL_FIELD_NAMES } : {}),
  };
}

function wrongArgument(name: string, fix: string): ConfigError {
  return new ConfigError({ code: 'bad-argument', what: `--${name} has a wrong value`, fix });
}

function wholeNumber(
  name: string,
  text: string | undefined,
  otherwise: number,
  most = Number.MAX_SAFE_INTEGER,
): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= most) return value;
  throw wrongArgument(name, `Give a whole number from 0 to ${most}.`);
}

function moment(text: string | undefined): Date {
  if (text === undefined) return SAMPLE_DEFAULTS.now;
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw wrongArgument('now', 'Give a time in ISO 8601.');
  return date;
}

/** The errors of parseArgs and of a taken port, told as wrong arguments. */
function told(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('ERR_PARSE_ARGS')) {
    return new ConfigError({
      code: 'bad-argument',
      what: (error as Error).message,
      fix: 'See --help.',
    });
  }
  if (code === 'EADDRINUSE') {
    return new ConfigError({
      code: 'port-taken',
      what: 'The port is in use',
      fix: 'Name another with --port, or let the system choose with --port 0.',
      cause: error,
    });
  }
  return error;
}

try {
  const options = readArguments();
  if (options === 'help') {
    process.stdout.write(HELP);
  } else {
    const service = await startSampleService(options);
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
    const end = (): void => {
      service.close().catch((error: unknown) => {
        process.stderr.write(`${describeError(error)}\n`);
        process.exitCode = 1;
      });
    };
    process.once('SIGINT', end);
    process.once('SIGTERM', end);
  }
} catch (error) {
  const known = told(error);
  process.stderr.write(`${describeError(known)}\n`);
  process.exitCode = known instanceof ConfigError ? known.exitCode : 1;
}
