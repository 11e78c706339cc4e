import { batches } from '../batches/commands/index.ts';
import { settingNames } from '../config/deploy-settings.ts';
import { DEPLOY_HOSTS } from '../deploy/hosts.ts';
import { type CommandGroup, defineCommand, type Program } from '../lib/command-line/definition.ts';
import {
  BUILD_OPTIONS,
  DEPLOY_OPTIONS,
  DEV_OPTIONS,
  DOCTOR_OPTIONS,
  INIT_OPTIONS,
  PREVIEW_OPTIONS,
  SERVICE_OPTIONS,
  THEME_COPY_OPTIONS,
  WORKER_OPTIONS,
} from './options.ts';

const PUBLISHING_EXIT_CODES = {
  0: 'published',
  1: 'bug of this program',
  2: 'configuration',
  3: 'refused by the service',
  4: 'service unreachable',
  5: 'stopped by a check',
  6: 'a key was found',
  8: 'something needs attention (with --strict)',
} as const;

const HOW_TO_END = 'Ctrl-C stops it.';

const init = defineCommand({
  name: 'init',
  summary: 'set up the project for your service',
  description:
    'Sets up a project for your service: writes site.config.ts, .env and a workflow that rebuilds the site every night, adds missing parts (lines of .gitignore, npm scripts, a README, an example theme, a git repository), then runs the doctor. In a terminal it asks questions. With options it asks nothing.',
  options: INIT_OPTIONS,
  notes: [
    'In an existing project, the options default to its settings.',
    'The key is never an argument: it comes from the prompt, from the environment (MEDIA_API_KEY and, for accounts, BATCH_API_KEY), or with --key-stdin. It is tried with the service before anything is written.',
  ],
  exitCodes: { 0: 'ready', 2: 'an error (nothing is overwritten without --force)' },
  examples: [
    {
      args: '--service https://media.example --url https://cars.example --dealer "7001=Northgate Cars"',
      does: 'set up one dealer without questions',
    },
  ],
  load: async () => {
    const { runInit } = await import('./init.ts');
    return { run: (args, io) => runInit(args, io, commandNames()) };
  },
});

const doctor = defineCommand({
  name: 'doctor',
  summary: 'check everything that a build needs',
  description:
    'Checks everything that a build needs and changes nothing: the disk, configuration, keys, theme, stock lists and logos, the response of the service for each dealer and account, sample pictures, all pages, whether the site fits your host, and the settings of npm run deploy on this machine.',
  options: DOCTOR_OPTIONS,
  notes: ['docs/errors.md lists every code.'],
  exitCodes: { 0: 'no error', 2: 'at least one error' },
  examples: [{ args: '--host netlify', does: 'see whether the site fits Netlify' }],
  load: () => import('./doctor.ts'),
});

const themeCopy = defineCommand({
  name: 'copy',
  summary: 'copy a template into your theme, to change it there',
  description:
    'Copies a default template or asset into the theme. The copy replaces the default. Existing files of the theme are never overwritten.',
  options: THEME_COPY_OPTIONS,
  positionals: {
    name: 'FILE',
    help: 'a file below templates/, such as partials/card.njk',
    most: 1,
  },
  exitCodes: { 0: 'copied', 2: 'no such template, or the theme already has it' },
  examples: [{ args: 'partials/card.njk', does: 'start with the default card of a vehicle' }],
  load: () => import('./theme-copy.ts'),
});

const build = defineCommand({
  name: 'build',
  summary: 'build the site and replace the published folder',
  description:
    'Builds the site: fetches the vehicles of all dealers, makes thumbnails, renders pages, checks the result, then replaces the published folder.',
  options: BUILD_OPTIONS,
  notes: [
    'With QUEUE_URL and STORE_URL, workers on other machines make the thumbnails (docs/scale.md).',
  ],
  exitCodes: PUBLISHING_EXIT_CODES,
  examples: [
    { args: '', does: 'build the site of site.config.ts into _site' },
    {
      args: '--accept-loss northgate@1f3a9c07b2de',
      does: 'accept a loss that the last build held',
    },
  ],
  load: () => import('./build.ts'),
});

const preview = defineCommand({
  name: 'preview',
  summary: 'show the built site on this machine',
  description:
    'Shows the built site on this machine, as a host would serve it, and changes nothing.',
  options: PREVIEW_OPTIONS,
  notes: [HOW_TO_END],
  exitCodes: { 0: 'ended', 2: 'the folder contains no site' },
  load: () => import('./preview.ts'),
});

const deploy = defineCommand({
  name: 'deploy',
  summary: 'upload a built site to a host',
  description:
    'Uploads a built site: sends missing and changed files, removes files that the site no longer has, then checks the live site.',
  options: DEPLOY_OPTIONS,
  positionals: {
    name: 'ID',
    help: 'with --rollback: the id of a deploy, as --releases lists it',
    most: 1,
  },
  notes: [
    `From the environment: ${[...new Set(DEPLOY_HOSTS.flatMap(settingNames))].join(', ')}, AWS_SESSION_TOKEN, AWS_REGION, AWS_DEFAULT_REGION. NETLIFY_API_URL, CLOUDFLARE_API_URL and INDEXNOW_URL replace the addresses of their APIs.`,
  ],
  exitCodes: {
    0: 'deployed',
    2: 'settings',
    3: 'refused',
    4: 'unreachable',
    5: 'nothing to deploy, or stopped by a check',
  },
  examples: [
    { args: '--to s3 --dry-run', does: 'count the changes for an S3 host, and send nothing' },
    { args: '--rollback', does: 'go back to the previous deploy' },
  ],
  load: () => import('./deploy.ts'),
});

const dev = defineCommand({
  name: 'dev',
  summary: 'show the site while you change it',
  description:
    'Shows the site while you change its templates, theme, texts and style sheets. The browser shows every change immediately. Nothing is published.',
  options: DEV_OPTIONS,
  notes: [
    'Vehicles and pictures are fetched once. Responses are reused for an hour, and snapshots are used if the service cannot be reached. A changed configuration is read again.',
    HOW_TO_END,
  ],
  examples: [{ args: '--sample', does: 'work on a theme without a key of the service' }],
  load: () => import('./dev.ts'),
});

const worker = defineCommand({
  name: 'worker',
  summary: 'make thumbnails for builds on other machines',
  description:
    'Makes thumbnails for builds on other machines: takes vehicles from the queue QUEUE_URL and stores their thumbnails in STORE_URL. Start one per machine (docs/scale.md). Ctrl-C stops it after the vehicles in progress.',
  options: WORKER_OPTIONS,
  load: () => import('./worker.ts'),
});

const service = defineCommand({
  name: 'service',
  summary: 'start the sample service',
  description: 'Starts the sample service on this machine, for demos, tests and theme work.',
  options: SERVICE_OPTIONS,
  notes: [HOW_TO_END],
  load: () => import('./service.ts'),
});

const theme: CommandGroup = {
  name: 'theme',
  summary: 'change how the site looks',
  description: 'Helps with the files of your theme.',
  commands: [themeCopy],
  member: { name: 'theme command', code: 'command-unknown' },
};

/** Commands of a project with a site. */
export const SITE_COMMANDS = [
  init,
  doctor,
  theme,
  build,
  preview,
  deploy,
  dev,
  batches,
  worker,
  service,
] as const;

/** Names of the scripts that a project gets for these commands. */
const commandNames = (): string[] => SITE_COMMANDS.map(({ name }) => name);

/** The commands of the published package. */
export const SITE: CommandGroup = {
  name: 'vehicle-media-site',
  summary: 'static pages of vehicle pictures and videos',
  description:
    "Builds fast static pages of a dealer's vehicle pictures and videos, and keeps the history of sent videos.",
  commands: SITE_COMMANDS,
  member: { name: 'command', code: 'command-unknown' },
};

/** The commands as scripts of npm. */
export const NPM: Program = {
  line: ([name, ...below], args, command) => {
    if (name === undefined) return `npm run ${args}`;
    const script =
      name === 'start' ? 'npm start' : `npm run ${command?.silent ? '--silent ' : ''}${name}`;
    const words = [...below, args].filter((word) => word !== '').join(' ');
    return words === '' ? script : `${script} -- ${words}`;
  },
};

/** The commands as an installed package runs them. */
export const NPX: Program = {
  line: (path, args) => ['npx --no -- vehicle-media-site', ...path, args].filter(Boolean).join(' '),
};
