import { HOST_IDS } from '../../config/hosts.ts';
import { defineOptions, flag, textOption } from '../../lib/command-line/definition.ts';
import { CI } from '../project.ts';

export const INIT_OPTIONS = defineOptions({
  service: textOption('URL', 'URL of the media service'),
  url: textOption('URL', 'URL at which visitors will reach the site'),
  dealer: textOption('ID=NAME', 'a dealer', { multiple: true }),
  'add-dealer': textOption(
    'ID=NAME',
    'add a dealer to site.config.ts, and keep the rest of the file',
    { multiple: true },
  ),
  'add-site': textOption(
    'NAME',
    'add a site with its --url and --dealer, in sites/NAME.config.ts (docs/agencies.md)',
  ),
  phone: textOption('ID=NUMBER', 'phone number of a dealer, for visitors', { multiple: true }),
  account: textOption('NAME=CUSTOMER/PATH', 'an account of MyVideos (docs/batches.md)', {
    multiple: true,
  }),
  'history-only': flag('no site: only the history of sent videos (docs/crm.md)'),
  title: textOption('TEXT', 'title of the site', { unset: "the first dealer's name" }),
  locale: textOption('TAG', 'language and region', { unset: 'en-GB' }),
  'time-zone': textOption('ZONE', 'time zone', { unset: 'from the region' }),
  ci: textOption('CI', 'CI that rebuilds the site', { choices: CI, unset: 'github' }),
  host: textOption('HOST', 'host of the site', { choices: HOST_IDS, unset: 'none' }),
  'picture-host': textOption('HOST', 'an additional domain of pictures', { multiple: true }),
  detect: flag("take picture hosts and names of fields from the service's own responses"),
  'key-per-dealer': flag('each dealer has a separate key, in MEDIA_API_KEY_ID'),
  'key-stdin': flag('read the key from standard input, or lines of NAME=KEY'),
  force: flag('overwrite existing files (each is copied first)'),
});

/** Options that set a single value of the configuration, with their questions. */
export const FIELDS = {
  service: {
    setting: ['service', 'baseUrl'],
    question: 'URL of the media service, as the vendor gave it',
    example: 'https://media.example',
  },
  title: { setting: ['site', 'title'], question: 'Title of the site', example: undefined },
  url: {
    setting: ['site', 'url'],
    question: 'URL at which visitors will reach the site',
    example: 'https://cars.example',
  },
  locale: { setting: ['site', 'locale'], question: 'Language and region', example: 'en-GB' },
  'time-zone': { setting: ['site', 'timeZone'], question: 'Time zone', example: 'Europe/London' },
} as const;

export type Field = keyof typeof FIELDS;
