import { defineOptions } from '../../lib/command-line/definition.ts';
import { PII_MODES } from '../export/columns.ts';
import { FORMAT_NAMES } from '../export/formats.ts';
import { PROFILE_NAMES } from '../export/profiles.ts';
import { DEFAULT_STORE } from '../store/places.ts';

/** Options that every command of the history takes. */
export const COMMON_OPTIONS = defineOptions({
  config: {
    type: 'path',
    value: 'FILE',
    unset: 'site.config.ts',
    help: 'configuration (.ts, .js or .json)',
  },
  store: { type: 'path', value: 'FILE', default: DEFAULT_STORE, help: 'the history' },
  quiet: { type: 'boolean', help: 'no summary; data, warnings and errors stay' },
});

const ACCOUNT = { type: 'string', value: 'NAME', help: 'only this account' } as const;

export const PULL_OPTIONS = defineOptions({
  account: ACCOUNT,
  days: {
    type: 'number',
    value: 'N',
    least: 1,
    most: 36_500,
    unset: "the account's daysOfHistory",
    help: 'days to ask for',
  },
  'dry-run': { type: 'boolean', help: 'show what would change, keep nothing' },
  ...COMMON_OPTIONS,
});

export const EXPORT_OPTIONS = defineOptions({
  format: {
    type: 'string',
    value: 'F',
    choices: FORMAT_NAMES,
    required: true,
    help: 'form of the data',
  },
  profile: {
    type: 'string',
    value: 'P',
    choices: PROFILE_NAMES,
    default: 'generic',
    help: 'names and forms that a CRM takes',
  },
  since: {
    type: 'string',
    value: 'S',
    help: 'only what changed: last (since the last export), or since a moment, ISO 8601',
  },
  'since-change': {
    type: 'number',
    value: 'N',
    help: 'only later changes than this number, to repeat a failed load',
  },
  pii: {
    type: 'string',
    value: 'MODE',
    choices: PII_MODES,
    default: 'none',
    help: 'personal data',
  },
  output: {
    type: 'string',
    value: 'FILE',
    unset: 'a file in .batches/exports',
    help: 'a file that only you can read, s3://BUCKET/PREFIX, or - for standard output',
  },
  account: ACCOUNT,
  history: { type: 'boolean', help: 'every version instead of the present one of each batch' },
  erasures: {
    type: 'boolean',
    help: 'only batches whose person was erased, with empty fields, so that the consumer erases them too',
  },
  stream: {
    type: 'string',
    value: 'NAME',
    unset: 'made of the options above',
    help: 'whose mark "--since last" moves',
  },
  'calling-code': {
    type: 'number',
    value: 'N',
    least: 1,
    most: 999,
    help: 'country code for hashing national telephone numbers, such as 44',
  },
  force: { type: 'boolean', help: 'replace a file that this program did not write' },
  ...COMMON_OPTIONS,
});

export const TAP_OPTIONS = defineOptions({
  config: {
    type: 'path',
    value: 'FILE',
    unset: 'the default of each setting',
    help: 'settings of the tap as JSON: store, pii, account, calling_code',
  },
  state: { type: 'path', value: 'FILE', unset: 'everything', help: 'the last STATE message' },
  catalog: { type: 'path', value: 'FILE', unset: 'all fields', help: 'the chosen fields' },
  discover: { type: 'boolean', help: 'print the catalog' },
});

export const REPORT_OPTIONS = defineOptions({
  format: {
    type: 'string',
    value: 'F',
    choices: ['html', 'json'],
    default: 'html',
    help: 'a page in a folder, or JSON on standard output',
  },
  output: { type: 'path', value: 'DIR', default: '.batches/report', help: 'folder of the page' },
  account: ACCOUNT,
  force: { type: 'boolean', help: 'replace a page that this program did not write' },
  ...COMMON_OPTIONS,
});

export const STATUS_OPTIONS = defineOptions({
  json: { type: 'boolean', help: 'as JSON' },
  'fail-older-than': {
    type: 'string',
    value: 'AGE',
    help: 'end with 8 if the last good pull of an account is older, such as 26h or 3d',
  },
  check: {
    type: 'boolean',
    help: 'read every row, and end with 1 where one is not as it was written',
  },
  ...COMMON_OPTIONS,
});

export const FORGET_OPTIONS = defineOptions({
  email: {
    type: 'string',
    value: 'ADDRESS',
    multiple: true,
    help: 'everything that names this address',
  },
  mobile: {
    type: 'string',
    value: 'NUMBER',
    multiple: true,
    help: 'everything that names this telephone number',
  },
  batch: { type: 'string', value: 'ID', multiple: true, help: 'this batch' },
  account: { ...ACCOUNT, help: 'with --batch: only in this account' },
  'drop-marks': {
    type: 'boolean',
    help: 'forget who was erased (only when BATCH_HASH_KEY is lost)',
  },
  ...COMMON_OPTIONS,
});

export const PRUNE_OPTIONS = defineOptions({
  'older-than': {
    type: 'string',
    value: 'AGE',
    required: true,
    help: 'age of the batches by their creation: months such as 24m, or days such as 730d',
  },
  'dry-run': { type: 'boolean', help: 'show what would be erased, erase nothing' },
  ...COMMON_OPTIONS,
});

export const DRIFT_OPTIONS = defineOptions({
  seen: {
    type: 'boolean',
    help: 'acknowledge it: the same findings are not reported again',
  },
  account: ACCOUNT,
  ...COMMON_OPTIONS,
});
