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
  days: numberOption('N', 'days to ask for', {
    least: 1,
    most: 36_500,
    unset: "the account's daysOfHistory",
  }),
  'dry-run': flag('show what would change, keep nothing'),
  ...COMMON_OPTIONS,
});

export const EXPORT_OPTIONS = defineOptions({
  format: textOption('F', 'form of the data', { choices: FORMAT_NAMES, required: true }),
  profile: textOption('P', 'names and forms that a CRM takes', {
    choices: PROFILE_NAMES,
    default: 'generic',
  }),
  since: textOption(
    'S',
    'only what changed: last (since the last export), or since a moment, ISO 8601',
  ),
  'since-change': numberOption('N', 'only later changes than this number, to repeat a failed load'),
  pii: textOption('MODE', 'personal data', { choices: PII_MODES, default: 'none' }),
  output: textOption(
    'FILE',
    'a file that only you can read, s3://BUCKET/PREFIX, or - for standard output',
    { unset: 'a file in .batches/exports' },
  ),
  account: ACCOUNT,
  history: flag('every version instead of the present one of each batch'),
  erasures: flag(
    'only batches whose person was erased, with empty fields, so that the consumer erases them too',
  ),
  stream: textOption('NAME', 'whose mark "--since last" moves', {
    unset: 'made of the options above',
  }),
  'calling-code': numberOption(
    'N',
    'country code for hashing national telephone numbers, such as 44',
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
    'end with 8 if the last good pull of an account is older, such as 26h or 3d',
  ),
  check: flag('read every row, and end with 1 where one is not as it was written'),
  ...COMMON_OPTIONS,
});

export const FORGET_OPTIONS = defineOptions({
  email: textOption('ADDRESS', 'everything that names this address', { multiple: true }),
  mobile: textOption('NUMBER', 'everything that names this telephone number', { multiple: true }),
  batch: textOption('ID', 'this batch', { multiple: true }),
  account: textOption('NAME', 'with --batch: only in this account'),
  'drop-marks': flag('forget who was erased (only when BATCH_HASH_KEY is lost)'),
  ...COMMON_OPTIONS,
});

export const PRUNE_OPTIONS = defineOptions({
  'older-than': textOption(
    'AGE',
    'age of the batches by their creation: months such as 24m, or days such as 730d',
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
