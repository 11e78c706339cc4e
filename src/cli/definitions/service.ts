import { type Described, defineOptions } from '../../lib/command-line/definition.ts';
import { REAL_FIELD_NAMES, SAMPLE_DEFAULTS } from '../../sample-service/options.ts';
import { ENDED_BY_PERSON, LAST_PORT } from './options.ts';

const { seed, dealers, vehicles, images, mediaKey, batchKey } = SAMPLE_DEFAULTS;

export const DEFAULT_PORT = 8701;

export const SERVICE_OPTIONS = defineOptions({
  port: {
    type: 'number',
    value: 'N',
    most: LAST_PORT,
    unset: `${DEFAULT_PORT} or the next free one`,
    help: 'port, 0 for any free one',
  },
  seed: { type: 'number', value: 'N', default: seed, help: 'the same seed gives the same data' },
  dealers: {
    type: 'number',
    value: 'N',
    default: dealers,
    most: 20_000,
    help: 'dealers, with ids from 7001 up',
  },
  vehicles: {
    type: 'number',
    value: 'N',
    default: vehicles,
    most: 100_000,
    help: 'vehicles per dealer',
  },
  images: {
    type: 'number',
    value: 'N',
    default: images,
    most: 500,
    help: 'images per vehicle, about',
  },
  data: {
    type: 'path',
    value: 'DIR',
    help: 'answer from a folder of JSON instead (see docs/service.md)',
  },
  'real-names': {
    type: 'boolean',
    help: `write youTubeUrl, ${REAL_FIELD_NAMES.socialClicks}, … in place of the neutral names`,
  },
  'media-key': {
    type: 'string',
    value: 'KEY',
    default: mediaKey,
    unset: 'one that it prints',
    help: 'key that GetMediaByDealer takes',
  },
  'batch-key': {
    type: 'string',
    value: 'KEY',
    default: batchKey,
    unset: 'one that it prints',
    help: 'key that MyVideos takes, in the form 8-4-4-4-12',
  },
  now: {
    type: 'time',
    value: 'TIME',
    unset: 'the present',
    help: "the service's present moment, ISO 8601, where it then stands still",
  },
});

export const service: Described<typeof SERVICE_OPTIONS> = {
  name: 'service',
  summary: 'the sample service alone',
  description: 'Starts the sample service on this machine, for demos, tests and theme work.',
  options: SERVICE_OPTIONS,
  takesKeys: true,
  notes: [ENDED_BY_PERSON],
};
