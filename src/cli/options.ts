/** The options of the user commands. */
import { HOST_IDS } from '../config/hosts.ts';
import { DEPLOY_HOSTS } from '../deploy/hosts.ts';
import {
  defineOptions,
  flag,
  numberOption,
  pathOption,
  textOption,
  timeOption,
} from '../lib/command-line/definition.ts';
import { REAL_FIELD_NAMES, SAMPLE_DEFAULTS } from '../sample-service/options.ts';
import { INIT_OPTIONS as ANSWERS } from '../setup/init/options.ts';

/** The highest port number. */
export const LAST_PORT = 65_535;

export const QUIET = defineOptions({
  quiet: flag('only warnings and errors'),
});

const CONFIG = defineOptions({
  config: pathOption('FILE', 'configuration (.ts, .js or .json)', { unset: 'site.config.ts' }),
});

export const INIT_OPTIONS = { ...ANSWERS, ...QUIET };

export const DOCTOR_OPTIONS = defineOptions({
  ...CONFIG,
  output: pathOption('DIR', 'the folder that builds publish', { default: '_site' }),
  cache: pathOption('DIR', 'the cache of builds', { unset: '.cache' }),
  report: pathOption('FILE', 'the report of builds', { default: 'build-report.json' }),
  host: textOption('HOST', 'host of the site', {
    choices: HOST_IDS,
    unset: 'the variable DEPLOY_TO',
  }),
  json: flag('findings as JSON'),
  ...QUIET,
});

export const THEME_COPY_OPTIONS = defineOptions({ ...CONFIG });

export const BUILD_OPTIONS = defineOptions({
  config: pathOption(
    'FILE',
    'configuration (.ts, .js or .json); several files, or a pattern such as "sites/*.config.ts", are several sites (docs/agencies.md)',
    { multiple: true, unset: 'site.config.ts' },
  ),
  output: pathOption('DIR', 'published folder', { unset: '_site, or _changes for a change set' }),
  whole: flag('write the full site, even if DEPLOY_TO accepts a change set'),
  thin: flag(
    'write only a change set for npm run deploy. Default in CI if the host in DEPLOY_TO accepts one',
  ),
  cache: pathOption('DIR', 'records and thumbnails, which make the next build faster', {
    default: '.cache',
  }),
  report: pathOption('FILE', 'the report as JSON', { default: 'build-report.json' }),
  strict: flag('exit code 8 if something needs attention (the site is published anyway)'),
  'accept-loss': textOption(
    'DEALER@ID',
    'accept one loss that a build held, with the value that it printed',
    { multiple: true },
  ),
  hide: textOption(
    'PLATE',
    'hide a vehicle in this build only (vehicles.csv hides it permanently)',
    { multiple: true },
  ),
  first: flag(
    'nothing is online yet: dealers without a response are left out, even if the live site cannot be read',
  ),
  'no-from-published': flag('make missing thumbnails, even if the published site has them'),
  for: textOption(
    'TIME',
    'time limit for pictures, such as 5h: publish finished vehicles, and let the next build continue (docs/scale.md)',
  ),
  now: timeOption('TIME', 'time of the build, ISO 8601, to see its result on another day'),
  ...QUIET,
});

export const PREVIEW_OPTIONS = defineOptions({
  output: pathOption('DIR', 'the built site', { default: '_site' }),
  port: numberOption('N', 'port of the site', {
    default: 8080,
    most: LAST_PORT,
    unset: '8080 or the next free one',
  }),
  ...QUIET,
});

export const DEPLOY_OPTIONS = defineOptions({
  to: textOption('HOST', 'host', { choices: DEPLOY_HOSTS, unset: 'the variable DEPLOY_TO' }),
  folder: pathOption('DIR', 'the folder that the build wrote', {
    unset: '_changes or _site, whichever exists',
  }),
  'dry-run': flag('only count the files that would be sent and removed'),
  'no-check': flag('skip the check of the live site'),
  'take-over': flag('replace an unrelated or newer site'),
  releases: flag('list the deploys that the host still has'),
  rollback: flag('make an earlier deploy live again (default: the one before the live one)'),
  json: flag('the report as JSON on standard output'),
  ...QUIET,
});

export const DEV_OPTIONS = defineOptions({
  sample: flag('use vehicles of the sample service instead of yours'),
  vehicles: numberOption('N', 'vehicles per dealer of the sample service', {
    default: 12,
    most: 100_000,
  }),
  theme: pathOption('DIR', 'the theme', { unset: 'site.theme, or theme with --sample' }),
  ...CONFIG,
  cache: pathOption('DIR', 'thumbnails and responses, kept between runs', {
    unset: '.cache, with --sample .demo/cache',
  }),
  port: numberOption('N', 'port of the site', { default: 8080, most: LAST_PORT }),
  ...QUIET,
});

export const WORKER_OPTIONS = defineOptions({
  config: pathOption('FILE', 'the configuration of the build (keys are not needed)', {
    unset: 'site.config.ts',
  }),
  cache: pathOption('DIR', 'without STORE_URL: the cache folder of the build', {
    default: '.cache',
  }),
  'metrics-port': numberOption('N', 'metrics for Prometheus, at http://127.0.0.1:N/metrics', {
    least: 1,
    most: LAST_PORT,
  }),
  ...QUIET,
});

const { seed, dealers, vehicles, images } = SAMPLE_DEFAULTS;

export const SERVICE_OPTIONS = defineOptions({
  port: numberOption('N', 'port, or 0 for any free port', {
    default: 8701,
    most: LAST_PORT,
    unset: '8701 or the next free one',
  }),
  seed: numberOption('N', 'the same seed gives the same data', { default: seed }),
  dealers: numberOption('N', 'dealers, with ids from 7001 up', { default: dealers, most: 20_000 }),
  vehicles: numberOption('N', 'vehicles per dealer', { default: vehicles, most: 100_000 }),
  images: numberOption('N', 'average images per vehicle', { default: images, most: 500 }),
  data: pathOption('DIR', 'respond with the JSON files of a folder (see docs/service.md)'),
  'real-names': flag(
    `write youTubeUrl, ${REAL_FIELD_NAMES.socialClicks}, … instead of the neutral names`,
  ),
  now: timeOption('TIME', "the service's clock, ISO 8601, which then does not advance", {
    unset: 'the present',
  }),
});
