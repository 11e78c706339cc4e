import {
  defineOptions,
  flag,
  numberOption,
  pathOption,
  textOption,
} from '../../lib/command-line/definition.ts';
import { PII_MODES } from '../export/columns.ts';
import { FORMAT_NAMES } from '../export/formats.ts';
import { PROFILE_NAMES } from '../export/profiles.ts';
import { DEFAULT_STORE } from '../store/places.ts';

/** Options of every command of the history. */
export const COMMON_OPTIONS = defineOptions({
  config: pathOption('FILE', 'configuration (.ts, .js or .json)', { unset: 'site.config.ts' }),
  store: pathOption('FILE', 'the history', { default: DEFAULT_STORE }),
  quiet: flag('no summary; data, warnings and errors stay'),
});

const ACCOUNT = textOption('NAME', 'only this account');

export const PULL_OPTIONS = defineOptions({
  account: ACCOUNT,
  days: numberOption('N', 'days to request', {
    least: 1,
    most: 36_500,
    unset: "the account's daysOfHistory",
  }),
  'dry-run': flag('show the changes, store nothing'),
  ...COMMON_OPTIONS,
});

export const EXPORT_OPTIONS = defineOptions({
  format: textOption('F', 'format of the data', { choices: FORMAT_NAMES, required: true }),
  profile: textOption('P', 'names and formats of a CRM', {
    choices: PROFILE_NAMES,
    default: 'generic',
  }),
  since: textOption('S', 'only changes: last (since the last export), or after a time, ISO 8601'),
  'since-change': numberOption('N', 'only changes after this number, to repeat a failed load'),
  pii: textOption('MODE', 'personal data', { choices: PII_MODES, default: 'none' }),
  output: textOption(
    'FILE',
    'a file that only you can read, s3://BUCKET/PREFIX, or - for standard output',
    { unset: 'a file in .batches/exports' },
  ),
  account: ACCOUNT,
  history: flag('every version of each batch, not only the latest'),
  erasures: flag(
    'only erased batches, with empty fields, so that the consumer also erases the people',
  ),
  stream: textOption('NAME', 'stream whose position "--since last" uses', {
    unset: 'derived from the options above',
  }),
  'calling-code': numberOption(
    'N',
    'country code of national phone numbers, such as 44, for hashes and contacts',
    { least: 1, most: 999 },
  ),
  force: flag('replace a file that this program did not write'),
  ...COMMON_OPTIONS,
});

export const TAP_OPTIONS = defineOptions({
  config: pathOption('FILE', 'settings of the tap as JSON: store, pii, account, calling_code', {
    unset: 'the default of each setting',
  }),
  state: pathOption('FILE', 'the last STATE message', { unset: 'everything' }),
  catalog: pathOption('FILE', 'the chosen fields', { unset: 'all fields' }),
  discover: flag('print the catalog'),
});

export const REPORT_OPTIONS = defineOptions({
  format: textOption('F', 'a page in a folder, or JSON on standard output', {
    choices: ['html', 'json'],
    default: 'html',
  }),
  output: pathOption('DIR', 'folder of the page', { default: '.batches/report' }),
  account: ACCOUNT,
  force: flag('replace a page that this program did not write'),
  ...COMMON_OPTIONS,
});

export const STATUS_OPTIONS = defineOptions({
  json: flag('as JSON'),
  'fail-older-than': textOption(
    'AGE',
    'end with 8 if the last successful pull of an account is older, such as 26h or 3d',
  ),
  check: flag('verify every row, and end with 1 if one is damaged'),
  ...COMMON_OPTIONS,
});

export const FORGET_OPTIONS = defineOptions({
  email: textOption('ADDRESS', 'erase all data with this address', { multiple: true }),
  mobile: textOption('NUMBER', 'erase all data with this phone number', { multiple: true }),
  sender: textOption('NAME', 'erase the sender with this name', { multiple: true }),
  batch: textOption('ID', 'erase the person in this batch', { multiple: true }),
  account: textOption('NAME', 'with --batch: only in this account'),
  'dry-run': flag('show the batches of these people, erase nothing'),
  'drop-marks': flag('remove the hashes of erased people (only if BATCH_HASH_KEY is lost)'),
  ...COMMON_OPTIONS,
});

export const PRUNE_OPTIONS = defineOptions({
  'older-than': textOption(
    'AGE',
    'age of the batches by their creation: months such as 24m, days such as 730d, or a date such as 2024-11-28',
    { required: true },
  ),
  'dry-run': flag('show what would be erased, erase nothing'),
  ...COMMON_OPTIONS,
});

export const DRIFT_OPTIONS = defineOptions({
  seen: flag('acknowledge it: the same findings are not reported again'),
  account: ACCOUNT,
  ...COMMON_OPTIONS,
});
