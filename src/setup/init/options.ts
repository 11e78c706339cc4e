import { HOST_IDS } from '../../config/hosts.ts';
import { defineOptions } from '../../lib/command-line/definition.ts';
import { CI } from '../project.ts';

/**
 * Everything that init asks for. An option with a `setting` is one value of the configuration. A person
 * is asked for it by `question`.
 */
export const INIT_OPTIONS = defineOptions({
  service: {
    type: 'string',
    value: 'URL',
    help: 'address of the media service',
    setting: ['service', 'baseUrl'],
    question: 'Address of the media service, as the vendor gave it',
    example: 'https://media.example',
  },
  url: {
    type: 'string',
    value: 'URL',
    help: 'address at which visitors will reach the site',
    setting: ['site', 'url'],
    question: 'Address at which visitors will reach the site',
    example: 'https://cars.example',
  },
  dealer: { type: 'string', value: 'ID=NAME', multiple: true, help: 'a dealer' },
  'add-dealer': {
    type: 'string',
    value: 'ID=NAME',
    multiple: true,
    help: 'add a dealer to site.config.ts, and keep the rest of the file',
  },
  'add-site': {
    type: 'string',
    value: 'NAME',
    help: 'add a site with its --url and --dealer, in sites/NAME.config.ts (docs/agencies.md)',
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
  'history-only': {
    type: 'boolean',
    help: 'no site: only the history of sent videos (docs/crm.md)',
  },
  title: {
    type: 'string',
    value: 'TEXT',
    unset: "the first dealer's name",
    help: 'title of the site',
    setting: ['site', 'title'],
    question: 'Title of the site',
  },
  locale: {
    type: 'string',
    value: 'TAG',
    unset: 'en-GB',
    help: 'language and region',
    setting: ['site', 'locale'],
    question: 'Language and region',
  },
  'time-zone': {
    type: 'string',
    value: 'ZONE',
    unset: 'Europe/London',
    help: 'time zone',
    setting: ['site', 'timeZone'],
    question: 'Time zone',
  },
  ci: {
    type: 'string',
    value: 'CI',
    choices: CI,
    unset: 'github',
    help: 'CI that rebuilds the site',
  },
  host: {
    type: 'string',
    value: 'HOST',
    choices: HOST_IDS,
    unset: 'none',
    help: 'host of the site',
  },
  'picture-host': {
    type: 'string',
    value: 'HOST',
    multiple: true,
    help: 'an additional domain of pictures',
  },
  detect: {
    type: 'boolean',
    help: "take picture hosts and names of fields from the service's own responses",
  },
  'key-per-dealer': {
    type: 'boolean',
    help: 'each dealer has a separate key, in MEDIA_API_KEY_ID',
  },
  'key-stdin': {
    type: 'boolean',
    help: 'read the key from standard input, or lines of NAME=KEY',
  },
  force: {
    type: 'boolean',
    help: 'overwrite existing files (each is copied first)',
  },
});

/** An option that is one value of the configuration. */
export type Field = 'service' | 'title' | 'url' | 'locale' | 'time-zone';

export const FIELDS: readonly Field[] = ['service', 'title', 'url', 'locale', 'time-zone'];
