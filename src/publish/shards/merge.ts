import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { LoadedConfig } from '../../config/load.ts';
import { SecretSearch } from '../../config/secret-search.ts';
import { type AppError, EXIT, GateError } from '../../errors.ts';
import { fingerprintOf } from '../../media/store/fingerprint.ts';
import { OutputNames } from '../../media/store/output-names.ts';
import { type ConfirmedRecord, readTimes, type Times, writeTimes } from '../../record/times.ts';
import type { DealerStock } from '../../stock/load.ts';
import { VehicleList } from '../../stock/vehicle-list.ts';
import type { Console } from '../../terminal/progress.ts';
import { claimFolders } from '../folders/check.ts';
import { lockOutput, publishStaged } from '../places.ts';
import { planOf } from '../prepare.ts';
import { openRenderer } from '../render.ts';
import type { BuildReport } from '../report.ts';
import type { RunResult } from '../run.ts';
import { toError } from '../run-state.ts';
import { keyIn, refuseKey } from '../secrets.ts';
import { recover, stagingFolder } from '../swap.ts';
import { readTheme } from '../theme/theme.ts';
import { isThumbnail, listFiles, MEDIA } from '../tree/listing.ts';
import { bytesHash, type PageRow, readPageManifest } from '../tree/page-manifest.ts';
import { openFolder, place } from '../tree/place.ts';
import { verificationError, verifySite } from '../verify/verify.ts';
import { checkMerged, refuseExtension, refuseOwnPart } from './checks.ts';
import { PUBLISHED_TIMES } from '../records.ts';
import { mergedReport } from './merged-report.ts';
import { MANIFEST, RECORD, readRecord, type ShardRecord } from './record.ts';

export interface MergeOptions {
  config: LoadedConfig;
  /** Output folders of the parts, in any order. */
  folders: readonly string[];
  output: string;
  console: Console;
  now?: number;
  strict?: boolean;
  signal?: AbortSignal;
}

/** Files of a part that are no part of the site. */
const OWN = [RECORD, MANIFEST, PUBLISHED_TIMES];

const torn = (folder: string, file: string): GateError =>
  new GateError({
    code: 'shard-damaged',
    what: `${path.join(folder, file)} is not as its part was verified.`,
    why: 'It is missing, or its bytes differ: something was lost on the way from the machine that made it.',
    fix: 'Hand the folders over whole; if need be, build that part again.',
  });

const twice = (file: string): GateError =>
  new GateError({
    code: 'shard-set',
    what: `Two parts have a page ${file}.`,
    why: 'They were built with different configurations: in one, no two dealers share an address.',
    fix: 'Build all parts in one run, with the same configuration, and merge those.',
  });

/** Pages of all dealers: a stock of which only the dealers are known. */
const onlyDealers = (config: LoadedConfig): DealerStock[] =>
  config.dealers.map((dealer) => ({
    dealer,
    source: 'none',
    vehicles: new VehicleList([]),
    withdrawn: [],
    published: undefined,
    counts: undefined,
    takenAt: undefined,
    snapshotId: undefined,
    problem: undefined,
    notes: [],
  }));

/**
 * Puts the files of a part into the staging folder; each page as it was verified, or not at all.
 *
 * @returns when its dealers were confirmed.
 */
function takePart(
  folder: string,
  { thumbnails }: ShardRecord,
  {
    staging,
    pages,
    search,
  }: { staging: string; pages: Map<string, PageRow>; search: SecretSearch },
): Times {
  const manifest = readPageManifest(path.join(folder, MANIFEST)).rows;
  const { files, odd } = listFiles(folder);
  if (odd[0] !== undefined) throw torn(folder, odd[0]);
  const there = new Set(files);
  for (const [name, fingerprint] of thumbnails) {
    const file = `${MEDIA}${name}`;
    if (!there.has(file) || fingerprintOf(readFileSync(path.join(folder, file))) !== fingerprint) {
      throw torn(folder, file);
    }
    const target = path.join(staging, file);
    // Two dealers may show one picture: its name says that the bytes are the same.
    if (!existsSync(target)) place(path.join(folder, file), target);
  }
  for (const [file, row] of manifest) {
    if (!there.has(file)) throw torn(folder, file);
    const bytes = readFileSync(path.join(folder, file));
    if (bytesHash(bytes) !== row.hash) throw torn(folder, file);
    refuseKey(file, keyIn(search, file, bytes));
    if (pages.has(file)) throw twice(file);
    pages.set(file, row);
    place(path.join(folder, file), path.join(staging, file));
  }
  if (there.size !== manifest.size + thumbnails.length + OWN.length) {
    throw torn(folder, files.find((file) => !manifest.has(file) && !isThumbnail(file)) ?? RECORD);
  }
  const times = readTimes(readFileSync(path.join(folder, PUBLISHED_TIMES)));
  if (!times) throw torn(folder, PUBLISHED_TIMES);
  return times;
}

async function merge(
  { config, folders, output, console, signal }: MergeOptions,
  records: readonly ShardRecord[],
): Promise<void> {
  using _output = lockOutput(output);
  await recover(output);
  const theme = await readTheme(config);
  const plan = await planOf(config, onlyDealers(config), {
    media: { contentOf: () => undefined, outputs: new OutputNames() },
    facts: new Map(),
    theme,
    extension: undefined,
  });
  checkMerged(records, config, {
    siteKey: plan.key,
    wasPublished: (slug) => existsSync(path.join(output, slug, 'index.html')),
  });
  const byDealer = new Map(
    records.flatMap(({ dealers }) => dealers.map(({ id, summary }) => [id, summary] as const)),
  );
  const rest = plan.rest(config.dealers.flatMap(({ id }) => byDealer.get(id) ?? []));

  const staging = stagingFolder(output);
  mkdirSync(staging, { recursive: true });
  const search = SecretSearch.of(
    [...config.dealers, ...config.accounts].map(({ apiKey }) => apiKey),
  );
  const pages = new Map<string, PageRow>();
  const times = new Map<number, ConfirmedRecord>();
  for (const [index, folder] of folders.entries()) {
    console.progress(`Parts: ${index + 1} of ${folders.length}`);
    // Lets Ctrl-C through.
    await setImmediate();
    signal?.throwIfAborted();
    const its = takePart(folder, records[index] as ShardRecord, { staging, pages, search });
    for (const [id, entry] of its) times.set(id, entry);
  }
  console.finish();
  const write = openFolder(staging);
  await openRenderer({ site: plan.site, theme }, write)(rest.pages);
  for (const { file, content } of rest.files) write(file, content());

  const keys = new Map([...rest.pages, ...rest.files].map(({ file, key }) => [file.slice(1), key]));
  const known = new Map(pages);
  const outputs = new OutputNames(
    records.flatMap(({ thumbnails }) => thumbnails.map(([name]) => name)),
  );
  const findings = await verifySite({
    signal,
    folder: staging,
    siteUrl: config.site.url,
    expected: [...pages.keys(), ...keys.keys()],
    search,
    outputs,
    personalWords: records.some(({ personalWords }) => personalWords === 'as-keys')
      ? 'as-keys'
      : 'anywhere',
    known,
    onFile: (file, found) => pages.set(file, { key: keys.get(file) ?? '', ...found }),
  });
  if (findings.length > 0) throw verificationError(findings);
  write(`/${PUBLISHED_TIMES}`, writeTimes(times));
  signal?.throwIfAborted();
  await publishStaged(output, { rows: pages });
}

/**
 * Puts the parts of a site together: front page, search, sitemap index and the other files that
 * speak of all dealers are made of what the parts say, and the whole is verified and published as a
 * build publishes. A part that is missing, torn, or of another run or configuration is refused.
 * Never throws.
 */
export async function mergeShards(options: MergeOptions): Promise<RunResult> {
  const { config, folders, strict } = options;
  const now = options.now ?? Date.now();
  const startedAt = performance.now();
  let records: ShardRecord[] = [];
  let error: AppError | undefined;
  try {
    refuseExtension(config);
    refuseOwnPart(folders, options.output);
    const output = claimFolders(options.output, config, { parts: folders });
    records = folders.map(readRecord);
    await merge({ ...options, output }, records);
  } catch (cause) {
    options.console.finish();
    error = toError(cause, undefined, [path.dirname(options.output)]);
  }
  const report: BuildReport = mergedReport(
    config,
    records.map((record) => record.report),
    { now, durationMs: Math.round(performance.now() - startedAt), error },
  );
  const isNeeded = strict === true && report.attention.length > 0;
  const exitCode = error?.exitCode ?? (isNeeded ? EXIT.attention : EXIT.published);
  return { exitCode, error, report: { ...report, exitCode } };
}
