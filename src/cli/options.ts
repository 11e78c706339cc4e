/** The options of all commands: data, which commands and the reference of the documentation share. */
import { HOST_IDS } from '../config/hosts.ts';
import { DEPLOY_HOSTS } from '../deploy/hosts.ts';
import { defineOptions } from '../lib/command-line/definition.ts';
import { REAL_FIELD_NAMES, SAMPLE_DEFAULTS } from '../sample-service/options.ts';
import { INIT_OPTIONS as ANSWERS } from '../setup/init/options.ts';

/** The highest port there is. */
export const LAST_PORT = 65_535;

export const QUIET = defineOptions({
  quiet: { type: 'boolean', help: 'only warnings and errors' },
});

export const CONFIG = defineOptions({
  config: {
    type: 'path',
    value: 'FILE',
    help: 'configuration (.ts, .js or .json)',
    unset: 'site.config.ts',
  },
});

export const HOST = { type: 'string', value: 'HOST', choices: HOST_IDS } as const;

/** Of commands that publish a site. */
export const PUBLISHING = defineOptions({
  report: {
    type: 'path',
    value: 'FILE',
    default: 'build-report.json',
    help: 'what was done, as JSON',
  },
  strict: {
    type: 'boolean',
    help: 'exit code 8 where a person is needed; it is published all the same',
  },
});

export const INIT_OPTIONS = { ...ANSWERS, ...QUIET };

export const DOCTOR_OPTIONS = defineOptions({
  ...CONFIG,
  output: { type: 'path', value: 'DIR', default: '_site', help: 'the folder that builds publish' },
  cache: {
    type: 'path',
    value: 'DIR',
    unset: '.cache',
    help: 'where builds keep their thumbnails',
  },
  report: {
    type: 'path',
    value: 'FILE',
    default: 'build-report.json',
    help: 'the report of builds',
  },
  host: { ...HOST, unset: 'the variable DEPLOY_TO', help: 'where the site goes' },
  json: { type: 'boolean', help: 'findings as JSON' },
  quiet: { type: 'boolean', help: 'errors and warnings only' },
});

export const THEME_COPY_OPTIONS = defineOptions({ ...CONFIG });

export const BUILD_OPTIONS = defineOptions({
  ...CONFIG,
  output: {
    type: 'path',
    value: 'DIR',
    unset: '_site; of what changed, _changes',
    help: 'published folder',
  },
  whole: { type: 'boolean', help: 'leave the whole site, also where DEPLOY_TO asks for less' },
  thin: {
    type: 'boolean',
    help: 'leave what changed (a change set), for npm run deploy. In CI that is so by itself where DEPLOY_TO is a host that asks for what it lacks',
  },
  cache: {
    type: 'path',
    value: 'DIR',
    default: '.cache',
    help: 'makes the next build faster: records, thumbnails',
  },
  ...PUBLISHING,
  'accept-loss': {
    type: 'string',
    value: 'DEALER@NAME',
    multiple: true,
    help: 'accept one loss that a build held, by the value that it printed',
  },
  hide: {
    type: 'string',
    value: 'PLATE',
    multiple: true,
    help: 'hide a vehicle in this build alone; vehicles.csv hides it until you remove the line',
  },
  first: {
    type: 'boolean',
    help: 'nothing is online yet: a dealer without an answer is left out, also where the published site cannot be asked',
  },
  'no-from-published': {
    type: 'boolean',
    help: 'make thumbnails that are missing here, even if the published site has them',
  },
  for: {
    type: 'string',
    value: 'TIME',
    help: 'time for pictures, such as 5h: then publish the vehicles that are done; the next build goes on. See docs/scale.md',
  },
  now: {
    type: 'time',
    value: 'TIME',
    help: 'the clock, ISO 8601; to see what a build of another day would do',
  },
  ...QUIET,
});

export const PREVIEW_OPTIONS = defineOptions({
  output: { type: 'path', value: 'DIR', default: '_site', help: 'the built site' },
  port: {
    type: 'number',
    value: 'N',
    default: 8080,
    most: LAST_PORT,
    unset: '8080 or the next free one',
    help: 'port of the site',
  },
  ...QUIET,
});

export const DEPLOY_OPTIONS = defineOptions({
  to: {
    type: 'string',
    value: 'HOST',
    choices: DEPLOY_HOSTS,
    unset: 'the variable DEPLOY_TO',
    help: 'where to',
  },
  folder: {
    type: 'path',
    value: 'DIR',
    unset: '_changes or _site, whichever is there',
    help: 'what the build made',
  },
  into: {
    type: 'path',
    value: 'DIR',
    unset: 'the variable DEPLOY_FOLDER',
    help: 'folder of the server, for --to folder',
  },
  'dry-run': { type: 'boolean', help: 'only say what would be sent and removed' },
  'no-check': { type: 'boolean', help: 'do not look at the live site afterwards' },
  'take-over': { type: 'boolean', help: 'replace what something else put there, and newer sites' },
  releases: { type: 'boolean', help: 'list the deploys that the host still has' },
  rollback: {
    type: 'boolean',
    help: 'show a former deploy again; without its id the one before the live one',
  },
  json: { type: 'boolean', help: 'what was done, as JSON on standard output' },
  ...QUIET,
});

export const DEV_OPTIONS = defineOptions({
  sample: { type: 'boolean', help: 'with vehicles of the sample service, in place of your own' },
  vehicles: {
    type: 'number',
    value: 'N',
    default: 12,
    most: 100_000,
    help: 'vehicles per dealer of the sample service',
  },
  theme: {
    type: 'path',
    value: 'DIR',
    unset: 'the one of the configuration; with --sample, theme',
    help: 'the theme',
  },
  ...CONFIG,
  cache: {
    type: 'path',
    value: 'DIR',
    unset: '.cache, with --sample .demo/cache',
    help: 'kept between runs',
  },
  port: { type: 'number', value: 'N', default: 8080, most: LAST_PORT, help: 'port of the site' },
  ...QUIET,
});

export const WORKER_OPTIONS = defineOptions({
  config: {
    type: 'path',
    value: 'FILE',
    unset: 'site.config.ts',
    help: "the same configuration as the build's; its keys are not needed",
  },
  cache: {
    type: 'path',
    value: 'DIR',
    default: '.cache',
    help: "without STORE_URL: the build's cache folder, shared with it",
  },
  'metrics-port': {
    type: 'number',
    value: 'N',
    least: 1,
    most: LAST_PORT,
    help: 'figures for Prometheus, at http://127.0.0.1:N/metrics',
  },
  quiet: { type: 'boolean', help: 'only what goes wrong' },
});

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
