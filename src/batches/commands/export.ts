import path from 'node:path';
import { z } from 'zod';
import { type DeploySettings, deploySettings } from '../../config/deploy-settings.ts';
import { readHashKey, valueIn } from '../../config/environment.ts';
import { ConfigError, EXIT } from '../../errors.ts';
import type { Args, Io, Run } from '../../lib/command-line/definition.ts';
import { checkLocalPath, wrongValue } from '../../lib/command-line/wrong-argument.ts';
import { type ExportOptions, exportBatches } from '../export/export.ts';
import { checkedOutput, endingOf } from '../export/formats.ts';
import { PROFILES } from '../export/profiles.ts';
import { existingStore, guarded, print, summarise } from './history.ts';
import { exportLines } from './messages.ts';
import type { EXPORT_OPTIONS } from './options.ts';

type Values = Args<typeof EXPORT_OPTIONS>['values'];

const S3_ADDRESS = /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(?<prefix>.*))?$/;

const momentSchema = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/** `last`, a time as ISO 8601 in UTC (a day means its midnight in UTC), or the number of a change. */
function sinceOf({ since: text, 'since-change': change }: Values): string | number | undefined {
  if (change !== undefined) {
    if (text === undefined) return change;
    throw wrongValue('since-change', 'It excludes --since.', 'Leave one out.');
  }
  if (text === undefined || text === 'last') return text;
  const time = momentSchema.safeParse(text).success ? Date.parse(text) : Number.NaN;
  if (time > Date.now()) {
    throw wrongValue('since', 'It is in the future.', 'Use a time in the past.');
  }
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw wrongValue(
    'since',
    'It is neither "last" nor a time.',
    'Use "last", a day such as 2026-03-01, or a time such as 2026-03-01T06:00:00Z.',
  );
}

/** A folder in a bucket, with the settings of a deploy to S3. */
function bucketOf(
  values: Values,
  bucket: string,
  prefix: string,
  env: Io['env'],
): DeploySettings['s3'] {
  if (!['ndjson', 'parquet'].includes(values.format)) {
    throw wrongValue('output', 'Only NDJSON and Parquet go to S3.', 'Choose one as --format.');
  }
  if (PROFILES[values.profile].contacts) {
    const fix = 'Export them to a file.';
    throw wrongValue('output', 'Contacts have no change numbers to name parts by.', fix);
  }
  if (values.since !== 'last') {
    throw wrongValue(
      'output',
      'Exports to S3 are named by their changes. The first one contains everything.',
      'Add --since last.',
    );
  }
  if (bucket === valueIn(env, 'S3_BUCKET')) {
    throw new ConfigError({
      code: 'place-not-private',
      what: `The export cannot be written to the bucket ${bucket}.`,
      why: 'S3_BUCKET names it: the site is published there.',
      fix: 'Use a separate, private bucket.',
    });
  }
  return deploySettings('s3', { ...env, S3_BUCKET: bucket, S3_PREFIX: prefix });
}

/** Folder of exports without `--output`. Git, container images and the site ignore `.batches`. */
const EXPORT_FOLDER = '.batches/exports';

/**
 * The file of an export without `--output`. Its name contains its options, so an export replaces only files of exports
 * with the same options. Names of exports of changes contain the time, so they never replace each other.
 */
function defaultOutput(values: Values): string {
  const { format, profile, pii, account, history, erasures, stream, since } = values;
  const rows = [history && 'history', erasures && 'erasures'];
  const isPart = (since ?? values['since-change']) !== undefined;
  const time = isPart ? new Date().toISOString().replaceAll(':', '') : undefined;
  const name = ['batches', profile, pii, account, ...rows, stream, time].filter(Boolean).join('-');
  return path.join(EXPORT_FOLDER, name + endingOf(format));
}

function targetOf(values: Values, { cwd, stdout, env }: Io): ExportOptions['to'] {
  const { output, format } = values;
  if (output === undefined) return { file: path.join(cwd, defaultOutput(values)) };
  const { bucket, prefix = '' } = S3_ADDRESS.exec(output)?.groups ?? {};
  if (bucket === undefined && output.startsWith('s3://')) {
    throw wrongValue(
      'output',
      'It has no valid name of a bucket.',
      'Use s3://BUCKET/PREFIX. The name of a bucket has 3 to 63 lower-case letters, digits, dots and hyphens.',
    );
  }
  if (bucket !== undefined) return { bucket: bucketOf(values, bucket, prefix, env) };
  if (output !== '-') {
    checkLocalPath('output', output);
    return { file: path.resolve(cwd, checkedOutput(output, format)) };
  }
  if (!stdout.isTTY || ['csv', 'ndjson'].includes(format)) return { writable: stdout };
  throw wrongValue('output', 'This format is not text.', 'Give --output FILE, or pipe it.');
}

export const run: Run<typeof EXPORT_OPTIONS> = guarded(async ({ values }, io) => {
  const { format, profile, pii: mode, account, history, erasures, stream, force } = values;
  const since = sinceOf(values);
  const callingCode = values['calling-code']?.toString();
  if (stream !== undefined && values.since !== 'last') {
    throw wrongValue('stream', 'It has no effect without --since last.', 'Add --since last.');
  }
  // Names with slashes are derived from options.
  if (stream !== undefined && !/^[\w.-]+$/.test(stream)) {
    const fix = 'Use letters, digits, dots, hyphens and underscores, and --erasures for erasures.';
    throw wrongValue('stream', 'It is empty or has other characters.', fix);
  }
  if (history && PROFILES[profile].contacts) {
    throw wrongValue('history', 'Contacts have no versions.', 'Leave --history out.');
  }
  const to = targetOf(values, io);
  using store = existingStore(values, io);
  const hashKey = mode === 'hash' ? readHashKey(io.env) : undefined;
  const result = await exportBatches({
    store,
    format,
    profile,
    personal: { mode, hashKey, callingCode },
    since,
    account,
    history,
    erasures,
    stream,
    to,
    force,
    signal: io.signal,
  });
  const [summary = '', ...notes] = exportLines(result);
  summarise(values, io.stderr, [summary]);
  print(io.stderr, notes);
  return EXIT.published;
});
