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
    help: 'the report as JSON',
  },
  strict: {
    type: 'boolean',
    help: 'exit code 8 if something needs attention (the site is published anyway)',
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
  host: { ...HOST, unset: 'the variable DEPLOY_TO', help: 'host of the site' },
  json: { type: 'boolean', help: 'findings as JSON' },
  quiet: { type: 'boolean', help: 'errors and warnings only' },
});

export const THEME_COPY_OPTIONS = defineOptions({ ...CONFIG });

export const BUILD_OPTIONS = defineOptions({
  config: {
    type: 'path',
    value: 'FILE',
    multiple: true,
    help: 'configuration (.ts, .js or .json); several files, or a pattern such as "sites/*.config.ts", are several sites (docs/agencies.md)',
    unset: 'site.config.ts',
  },
  output: {
    type: 'path',
    value: 'DIR',
    unset: '_site, or _changes for a change set',
    help: 'published folder',
  },
  whole: { type: 'boolean', help: 'leave the whole site, also where DEPLOY_TO asks for less' },
  thin: {
    type: 'boolean',
    help: 'write only a change set for npm run deploy. Default in CI if DEPLOY_TO is a host that accepts one',
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
    help: 'hide a vehicle in this build only (vehicles.csv hides it permanently)',
  },
  first: {
    type: 'boolean',
    help: 'nothing is online yet: dealers without a response are left out, even if the live site cannot be read',
  },
  'no-from-published': {
    type: 'boolean',
    help: 'make thumbnails that are missing here, even if the published site has them',
  },
  for: {
    type: 'string',
    value: 'TIME',
    help: 'time limit for pictures, such as 5h: publishes finished vehicles, and the next build continues. See docs/scale.md',
  },
  now: {
    type: 'time',
    value: 'TIME',
    help: 'the clock, ISO 8601, to see the result of a build on another day',
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
    help: 'the folder that the build wrote',
  },
  into: {
    type: 'path',
    value: 'DIR',
    unset: 'the variable DEPLOY_FOLDER',
    help: 'folder of the server, for --to folder',
  },
  'dry-run': { type: 'boolean', help: 'only show the files that would be sent and removed' },
  'no-check': { type: 'boolean', help: 'do not look at the live site afterwards' },
  'take-over': { type: 'boolean', help: 'replace unrelated or newer sites' },
  releases: { type: 'boolean', help: 'list the deploys that the host still has' },
  rollback: {
    type: 'boolean',
    help: 'make an earlier deploy live again (default: the one before the live one)',
  },
  json: { type: 'boolean', help: 'the report as JSON on standard output' },
  ...QUIET,
});

export const DEV_OPTIONS = defineOptions({
  sample: { type: 'boolean', help: 'use vehicles of the sample service instead of yours' },
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
    unset: 'site.theme, or theme with --sample',
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
    help: 'the configuration of the build (keys are not needed)',
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
  quiet: { type: 'boolean', help: 'only warnings and errors' },
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
    help: "the service's clock, ISO 8601, which then does not advance",
  },
});
