import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { keyIn, refuseKey, secretsOf } from '../../config/build-secrets.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { SecretSearch } from '../../config/secret-search.ts';
import { GateError } from '../../errors.ts';
import { fingerprintOf } from '../../images/fingerprint.ts';
import { OutputNames } from '../../images/output-names.ts';
import { linkFile, openFolder } from '../../lib/files/hard-link.ts';
import { isSafeFile } from '../../lib/files/safe-file.ts';
import type { Console } from '../../lib/terminal/progress.ts';
import { isPiece, pieceName, readRecord } from '../../record/file.ts';
import { bytesHash, fileHash, filesName } from '../../record/files.ts';
import { FolderRecords } from '../../record/folder.ts';
import { latestOf, PUBLISHED_TIMES, RECORDS } from '../../record/published-records.ts';
import {
  type ConfirmedRecord,
  firstIn,
  readTimes,
  type Times,
  writeTimes,
} from '../../record/times.ts';
import { type OpenExtension, openExtension } from '../../render/extension/load.ts';
import { readLegalTexts } from '../../render/legal-texts.ts';
import { readTheme } from '../../render/theme/theme.ts';
import { siteWidePlan } from '../build/prepare.ts';
import { SitePages } from '../build/site-pages.ts';
import { unpackChunk } from '../chunk/wire.ts';
import { isSiteFile } from '../finish/finish-site.ts';
import { publishStaged } from '../finish/publish-staged.ts';
import { claimFolders } from '../folder-checks/check.ts';
import { lockOutput } from '../folder-checks/published-folder.ts';
import { SHARD_RECORD } from '../options/shard.ts';
import { type RunResult, runReported } from '../outcome/run-reported.ts';
import { outcomes, personalWords, type State, summaries } from '../outcome/run-state.ts';
import { recover, stagingFolder } from '../output/swap.ts';
import { isThumbnail, listFiles, MEDIA } from '../site-diff/listing.ts';
import { PublishedLists, readPublishedFolder } from '../site-diff/published-files.ts';
import { refuseFindings } from '../verify/verify.ts';
import { checkMerged, refused, refuseExtension, refuseOwnShard } from './checks.ts';
import { readShardRecord, type ShardRecord } from './shard-record.ts';

export interface MergeOptions {
  config: LoadedConfig;
  /** Output folders of the shards, in any order. */
  folders: readonly string[];
  output: string;
  console: Console;
  now?: number;
  /** Exit with code 8 if a person is needed. */
  strict?: boolean;
  signal?: AbortSignal;
}

const torn = (folder: string, file: string): GateError =>
  new GateError({
    code: 'shard-damaged',
    what: `${path.join(folder, file)} is not as its part was verified.`,
    why: 'It is missing, or its bytes differ: something was lost on the way from the machine that made it.',
    fix: 'Hand the folders over whole; if need be, build that part again.',
  });

const twice = (file: string): GateError =>
  refused(
    `Two parts have a page ${file}.`,
    'They were built with different configurations: in one, no two dealers share an address.',
  );

/**
 * Links the files of a shard into the staging folder, after checking that each page is as it was verified.
 *
 * @returns when its dealers were confirmed, and the time of the first build, see `firstIn`.
 */
async function takePart(
  folder: string,
  { batches }: ShardRecord,
  { staging, pages, search }: { staging: string; pages: Set<string>; search: SecretSearch },
): Promise<{ times: Times; first: string | undefined }> {
  const { files, odd } = listFiles(folder);
  if (odd[0] !== undefined) throw torn(folder, odd[0]);
  const there = new Set(files);
  // Files of a shard that do not belong to the site.
  const known = new Set([SHARD_RECORD, PUBLISHED_TIMES]);
  const take = (file: string, isWhole: (bytes: Buffer) => boolean): void => {
    const bytes = there.has(file) ? readFileSync(path.join(folder, file)) : undefined;
    if (!bytes || !isSafeFile(file) || !isWhole(bytes)) throw torn(folder, file);
    if (!isThumbnail(file)) refuseKey(file, keyIn(search, file, bytes));
    known.add(file);
    const target = path.join(staging, file);
    // Two dealers may show one picture: its name says that the bytes are the same.
    if (!existsSync(target)) linkFile(path.join(folder, file), target);
  };
  for (const [name, fingerprint] of batches.flatMap(({ fingerprints }) => fingerprints)) {
    take(MEDIA + name, (bytes) => fingerprintOf(bytes) === fingerprint);
  }
  const bytes = there.has(PUBLISHED_TIMES)
    ? readFileSync(path.join(folder, PUBLISHED_TIMES))
    : Buffer.of();
  const times = readTimes(bytes);
  if (!times) throw torn(folder, PUBLISHED_TIMES);
  const inRecords = new FolderRecords(path.join(folder, RECORDS));
  for (const [id, entry] of times) {
    take(RECORDS + filesName(id), (bytes) => bytesHash(bytes) === entry.files);
    const read = await readRecord(inRecords, id, entry.record);
    if ('why' in read) throw torn(folder, RECORDS + pieceName(id));
    for (const [index, sum] of read.sums.entries()) {
      take(RECORDS + pieceName(id, index + 1), (bytes) => isPiece(bytes, sum));
    }
  }
  for (const [file, row] of readPublishedFolder(folder).rows) {
    if (pages.has(file)) throw twice(file);
    take(file, (bytes) => fileHash(bytes) === row.hash);
    pages.add(file);
  }
  const unknown = files.find((file) => !known.has(file) && !isThumbnail(file));
  if (unknown !== undefined) throw torn(folder, unknown);
  return { times, first: firstIn(bytes) };
}

async function merge(
  { config, folders, output, console, signal }: MergeOptions,
  extension: OpenExtension | undefined,
  records: readonly ShardRecord[],
  state: State,
): Promise<void> {
  using _output = lockOutput(output);
  await recover(output);
  const theme = await readTheme(config, extension?.functions);
  const legal = await readLegalTexts(config);
  const plan = await siteWidePlan(config, {
    ...{ facts: new Map(), legal, theme },
    extension: undefined,
  });
  checkMerged(records, outcomes(state), {
    config,
    siteKey: plan.key,
    wasPublished: (slug) => existsSync(path.join(output, slug, 'index.html')),
  });

  const staging = stagingFolder(output);
  mkdirSync(staging, { recursive: true });
  const search = SecretSearch.of(secretsOf(config));
  const pages = new Set<string>();
  const times = new Map<number, ConfirmedRecord>();
  const firsts: (string | undefined)[] = [];
  for (const [index, folder] of folders.entries()) {
    console.progress(`Parts: ${index + 1} of ${folders.length}`);
    // Lets the handlers of signals run.
    await setImmediate();
    signal?.throwIfAborted();
    const its = await takePart(folder, records[index] as ShardRecord, { staging, pages, search });
    for (const [id, entry] of its.times) times.set(id, entry);
    firsts.push(its.first);
  }
  console.finish();
  const made = state.chunks.flatMap((chunk) => chunk.made ?? []);
  const outputs = new OutputNames(
    state.chunks.flatMap(({ fingerprints }) => fingerprints.map(([name]) => name)),
  );
  // The staging folder has no site-wide lists, so all site-wide files are made.
  const lists = new PublishedLists(staging);
  const options = { config, theme, output: staging, lists, staging, search, searched: false };
  const facts = { outputs, personalWords: personalWords(state), steps: state };
  const siteWide = plan.siteWide(summaries(state));
  state.siteWide = await new SitePages({ ...options, signal }).siteWide(plan, siteWide, facts);
  refuseFindings([...made, state.siteWide], (file) => isSiteFile(staging, file));
  openFolder(staging)(`/${PUBLISHED_TIMES}`, writeTimes(times, { first: latestOf(firsts) }));
  signal?.throwIfAborted();
  await publishStaged(output);
  state.published = true;
}

/**
 * Merges the shards of a site: front page, search, sitemap index and the other site-wide
 * files are made from the shards' records, and the whole is verified and published as a
 * build publishes. A shard that is missing, torn, or of another run or configuration is refused.
 * Never throws.
 */
export async function mergeShards(options: MergeOptions): Promise<RunResult> {
  const { config, folders } = options;
  return runReported(options, async (state) => {
    const extension = await openExtension(config, { signal: options.signal });
    refuseExtension(extension);
    refuseOwnShard(folders, options.output);
    const output = claimFolders(options.output, config, { parts: folders });
    const records = folders.map(readShardRecord);
    state.order = config.dealers.map(({ id }) => id);
    state.notes = records.flatMap(({ notes }) => notes);
    for (const { number, batches } of records) {
      for (const chunk of batches) {
        // Each shard had processes of its own.
        const process = number * MOST_PROCESSES + chunk.process;
        state.chunks.push({ ...unpackChunk(chunk), process });
      }
    }
    await merge({ ...options, output }, extension, records, state);
  });
}

/** More processes than a machine has cores. */
const MOST_PROCESSES = 10_000;
