import { type Described, defineOptions } from '../../lib/command-line/definition.ts';
import { CI } from '../../setup/project.ts';
import { HOST, QUIET } from './options.ts';

export const INIT_OPTIONS = defineOptions({
  service: { type: 'string', value: 'URL', help: 'address of the media service' },
  url: { type: 'string', value: 'URL', help: 'address at which visitors will reach the site' },
  dealer: { type: 'string', value: 'ID=NAME', multiple: true, help: 'a dealer' },
  'add-dealer': {
    type: 'string',
    value: 'ID=NAME',
    multiple: true,
    help: 'add a dealer to site.config.ts, and keep the rest of the file',
  },
  phone: {
    type: 'string',
    value: 'ID=NUMBER',
    multiple: true,
    help: 'phone number of a dealer, for visitors',
  },
  account: {
    type: 'string',
    value: 'NAME=CUSTOMER/PATH',
    multiple: true,
    help: 'an account of MyVideos (docs/batches.md)',
  },
  title: {
    type: 'string',
    value: 'TEXT',
    unset: "the first dealer's name",
    help: 'title of the site',
  },
  locale: { type: 'string', value: 'TAG', unset: 'en-GB', help: 'language and region' },
  'time-zone': { type: 'string', value: 'ZONE', unset: 'Europe/London', help: 'time zone' },
  ci: { type: 'string', value: 'CI', choices: CI, unset: 'github', help: 'what rebuilds the site' },
  host: { ...HOST, unset: 'none', help: 'where the site goes' },
  'picture-host': {
    type: 'string',
    value: 'HOST',
    multiple: true,
    help: "a host of pictures besides the service's own",
  },
  'hosted-video': {
    type: 'string',
    value: 'NAME',
    unset: 'hostedVideo',
    help: 'prefix of the hosted-video fields',
  },
  detect: {
    type: 'boolean',
    help: "take picture hosts, that prefix and the names of click counts from the service's own answers",
  },
  'key-per-dealer': {
    type: 'boolean',
    help: 'each dealer has a key of its own, in MEDIA_API_KEY_ID',
  },
  'key-stdin': {
    type: 'boolean',
    help: 'read the key from standard input, or lines of NAME=KEY',
  },
  force: {
    type: 'boolean',
    help: 'overwrite what is there; of a file of yours, a copy is kept beside it',
  },
  ...QUIET,
});

export const init: Described<typeof INIT_OPTIONS> = {
  name: 'init',
  summary: 'set the project up for your service',
  description:
    'Sets the project up for your service: writes site.config.ts, .env and the workflow that rebuilds the site every night, and then runs the doctor. What a project lacks besides is added: lines of .gitignore, scripts for the commands, a README, an example of a theme, a git repository. In a terminal it asks; with options it asks nothing.',
  options: INIT_OPTIONS,
  notes: [
    'In a project that was set up before, its settings stand in for options that are not given.',
    'The key is never an argument: it comes from the prompt, from the environment (MEDIA_API_KEY and, for accounts, BATCH_API_KEY), or with --key-stdin. It is tried before anything is written.',
  ],
  exitCodes: { 0: 'ready', 2: 'something is wrong; nothing is overwritten without --force' },
  examples: [
    {
      args: '--service https://media.example --url https://cars.example --dealer "7001=Northgate Cars"',
      does: 'set up one dealer without questions',
    },
  ],
};
