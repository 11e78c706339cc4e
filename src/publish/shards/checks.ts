import { existsSync } from 'node:fs';
import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import { ConfigError, GateError, printable } from '../../errors.ts';
import type { OpenExtension } from '../../render/extension/load.ts';
import { checkDealers, checkPictures, type DealerOutcome, lossOf } from '../gates/gates.ts';
import type { ShardRecord } from './shard-record.ts';

const AGAIN = 'Build all parts in one run, with the same configuration, and merge those.';

/** The error for shards that do not form a site. */
export const refused = (what: string, why: string, fix = AGAIN): GateError =>
  new GateError({ code: 'shard-set', what, why, fix });

/**
 * Shards without a name of their run that began further apart than this are of two runs. A night's
 * shards never are: no CI lets a job wait or run so long.
 */
const ONE_RUN = 12 * 3_600_000;

/** @throws {GateError} shards are missing, there twice, or not of one run. */
function checkSet(records: readonly ShardRecord[], siteKey: string): void {
  const [first] = records;
  if (!first) throw refused('There is no part to merge.', 'No folder was named.');
  const { count, run } = first;
  const other = records.find((record) => record.count !== count || record.run !== run);
  if (other) {
    throw refused(
      `Parts ${first.number}/${count} and ${other.number}/${other.count} are not of one run.`,
      `They were built as "${printable(run)}" and "${printable(other.run)}".`,
    );
  }
  const began = records.map(({ startedAt }) => Date.parse(startedAt));
  if (run === '' && Math.max(...began) - Math.min(...began) > ONE_RUN) {
    throw refused(
      'The parts were built more than 12 hours apart.',
      'They do not say which run they belong to, and so look like parts of two.',
      'Build all parts again, and merge those; give each the name of its run with --run.',
    );
  }
  const numbers = records.map(({ number }) => number);
  const twice = numbers.find((number, index) => numbers.indexOf(number) !== index);
  if (twice !== undefined)
    throw refused(`Part ${twice}/${count} is there twice.`, 'Each is needed once.');
  const missing = Array.from({ length: count }, (_, index) => index + 1).filter(
    (number) => !numbers.includes(number),
  );
  if (missing.length > 0) {
    throw refused(
      `Part ${missing.join(', ')} of ${count} is missing.`,
      'Without it, its dealers would vanish from the site.',
      'Look at the job that should have built it, and name its folder, too.',
    );
  }
  const ofOtherSite = records.find((record) => record.siteKey !== siteKey);
  if (ofOtherSite) {
    throw refused(
      `Part ${ofOtherSite.number}/${count} was made with another configuration, theme or version.`,
      'Its pages would not fit those that are made here.',
    );
  }
}

/** @throws {GateError} a dealer of the configuration is in no shard, or in two. */
function checkDealersOf(records: readonly ShardRecord[], { dealers }: LoadedConfig): void {
  const parts = Map.groupBy(
    records.flatMap(({ number, batches }) =>
      batches.flatMap(({ outcomes }) => outcomes.map(({ dealer: { id } }) => ({ id, number }))),
    ),
    ({ id }) => id,
  );
  for (const { id, name } of dealers) {
    const of = parts.get(id) ?? [];
    parts.delete(id);
    if (of.length === 1) continue;
    throw refused(
      `Dealer ${id} (${printable(name)}) is in ${of.length === 0 ? 'no part' : `parts ${of.map(({ number }) => number).join(' and ')}`}.`,
      'The parts were planned differently.',
    );
  }
  const [unknown] = parts.keys();
  if (unknown !== undefined) {
    throw refused(`The configuration has no dealer ${unknown}.`, 'A part has pages of it.');
  }
}

/**
 * Checks the records of the shards before anything is copied, by the same gates as for a site
 * that is built whole.
 *
 * @param all outcomes of the dealers.
 * @throws {GateError} the shards are no whole site, or one that may not be published.
 * @throws the problem of a dealer that must not be left out, or of the first where all are refused.
 */
export function checkMerged(
  records: readonly ShardRecord[],
  all: readonly DealerOutcome[],
  {
    config,
    siteKey,
    wasPublished,
  }: { config: LoadedConfig; siteKey: string; wasPublished: (slug: string) => boolean },
): void {
  checkSet(records, siteKey);
  checkDealersOf(records, config);
  const live = new Set(config.dealers.flatMap(({ id, slug }) => (wasPublished(slug) ? [id] : [])));
  checkDealers(
    all.map((one) =>
      one.state === 'left-out' && live.has(one.dealer.id)
        ? { ...one, state: 'failed', published: 'live' }
        : one,
    ),
    { complete: true },
  );
  const losses = records.flatMap(({ batches }) => batches.map(({ loss }) => loss));
  checkPictures(lossOf(losses), config.publish);
}

/** @throws {ConfigError} an extension needs the vehicles of all shards. */
export function refuseExtension(extension: Pick<OpenExtension, 'needsAll'> | undefined): void {
  if (!extension?.needsAll) return;
  throw new ConfigError({
    code: 'shard-extension',
    what: 'A site whose extension has pages or data cannot be built in parts.',
    why: 'They are made once, from the vehicles of all dealers, and each part has only its own.',
    fix: 'Build the site whole, or take pages() and data() out of the extension of site.extend.',
  });
}

/** @throws {GateError} the shard would take the place of a whole site. */
export function refuseSite(output: string): void {
  // A shard has no front page.
  if (!existsSync(path.join(output, 'index.html'))) return;
  throw new GateError({
    code: 'shard-output',
    what: `${output} holds a whole site.`,
    why: 'A part of a site would take its place, without front page and the other dealers.',
    fix: 'Give the part a folder of its own with --output; npm run merge replaces the site.',
  });
}

/** @throws {GateError} the merged site would take the place of one of its shards. */
export function refuseOwnShard(folders: readonly string[], output: string): void {
  const own = folders.find((folder) => path.resolve(folder) === path.resolve(output));
  if (own === undefined) return;
  throw new GateError({
    code: 'shard-output',
    what: `${own} is a part, and also where the site is to be put.`,
    why: 'The site would take the place of the part, and its parts could not be merged again.',
    fix: 'Name another folder with --output.',
  });
}
