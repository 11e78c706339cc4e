import pMap from 'p-map';
import type { S3Settings } from '../../config/deploy-settings.ts';
import { ConfigError } from '../../errors.ts';
import type { SiteFile } from '../../publish/change-set/change-set.ts';
import { isThumbnail } from '../../publish/site-diff/listing.ts';
import { isRecordFile, PUBLISHED_TIMES } from '../../record/published-records.ts';
import { newestOf, readTimes } from '../../record/times.ts';
import { noRelease } from '../host-api/errors.ts';
import type { HostHttpSettings } from '../host-api/http.ts';
import { checkLiveRelease } from '../host-api/live-release.ts';
import { type SentFiles, sendFiles } from '../host-api/send-files.ts';
import type { DeployPlan, DeploySource, Host, HostRun, Sent } from '../host-api/types.ts';
import { withoutRules } from '../host-api/without-rules.ts';
import { Bucket, S3_FIX } from './s3/bucket.ts';
import {
  type Deployed,
  deployedOf,
  type Former,
  readDeployed,
  readFormer,
  writeDeployed,
} from './s3/former.ts';
import { Lock, readIntent } from './s3/lock.ts';

/** How an S3 host is asked. */
export const S3_HTTP: HostHttpSettings = {
  code: 's3',
  name: 'The S3 host',
  fix: S3_FIX,
};

/** Requests at the same time. */
const AT_ONCE = 16;

/**
 * Thumbnails first, then pages, and then the records for the next build: a page that is there
 * finds its pictures, and a record that is there finds its pages.
 */
function rankOf(path: string): number {
  if (path === PUBLISHED_TIMES) return 4;
  if (isRecordFile(path)) return 3;
  if (path.startsWith('media/')) return 0;
  return path.endsWith('.html') ? 2 : 1;
}

/** What there is to do, and what that was decided by. */
interface Work extends DeployPlan {
  send: readonly SiteFile[];
  deployed: string | undefined;
  intent: readonly string[];
}

/**
 * Any S3 host: single objects, so visitors see old and new pages while it works, and none without its
 * pictures. The files that are there of ours are listed in the records, which are part of the site. A lock keeps two
 * deploys apart, and says what a deploy had in hand that was cut off.
 */
export function s3Host(settings: S3Settings): Host {
  /** Plans that need not be made again, unless something has changed since. */
  const works = new WeakMap<DeployPlan, Work>();

  async function plan(given: DeploySource, run: HostRun): Promise<DeployPlan> {
    const source = withoutRules(given);
    const bucket = new Bucket(settings, run.http);
    const deployed = await readDeployed(bucket);
    const work = await workOf(bucket, { source, run, deployed, intent: await readIntent(bucket) });
    works.set(work, work);
    return work;
  }

  async function deploy(given: DeploySource, made: DeployPlan, run: HostRun): Promise<Sent> {
    const source = withoutRules(given);
    const bucket = new Bucket(settings, run.http);
    const lock = await Lock.take(bucket, run);
    try {
      const deployed = await readDeployed(bucket);
      if (bucket.isDoubtful) await lock.checkRights();
      const intent = lock.adopted;
      const planned = works.get(made);
      const isAsPlanned =
        planned?.deployed === deployed?.text && planned?.intent.join('\n') === intent.join('\n');
      const work =
        planned && isAsPlanned ? planned : await workOf(bucket, { source, run, deployed, intent });
      const sent = await carryOut(bucket, lock, { source, run, work, deployed });
      await lock.release();
      return sent;
    } catch (error) {
      await lock.abandon().catch(() => {});
      throw error;
    }
  }

  return {
    id: 's3',
    atomic: false,
    plan,
    deploy,
    releases: async () => [],
    // A bucket holds one site.
    rollback: async (to) => {
      throw noRelease('The bucket', to);
    },
  };
}

interface Look {
  source: DeploySource;
  run: HostRun;
  deployed: Deployed | undefined;
  /** Files that a deploy had in hand that was cut off. */
  intent: readonly string[];
}

/**
 * Looks what has to be sent and removed; changes nothing.
 *
 * @throws {ConfigError} files of somebody else would be replaced.
 * @throws {GateError} what lies there was built later.
 */
async function workOf(bucket: Bucket, look: Look): Promise<Work> {
  const { source, run, deployed, intent } = look;
  const live = deployed?.built ?? (await liveIn(bucket));
  const notes = live === undefined ? [] : checkLiveRelease(live, source, run);
  const site = source.files;
  const uncertain = new Set(intent);
  // The build began with what the last deploy ended with: it knows what changed.
  const isBase = source.base !== null && deployed?.times === source.base;
  const base = isBase ? deployed : undefined;
  const former = base ? formerOf(source, base) : await readFormer(bucket, source, deployed);
  const differs = ({ path, hash }: SiteFile) =>
    uncertain.has(path) || former.files.get(path) !== hash;
  const changed = [...site.values()].filter(differs);
  const isOurs = (path: string) => former.files.has(path) || uncertain.has(path);
  const mayBeThere = (path: string) => !source.has(path) || !former.isWhole || isOurs(path);
  const there = await adoptedOf(bucket, changed, mayBeThere);
  const send = changed
    .filter((file) => !there.has(file.path))
    .sort((a, b) => rankOf(a.path) - rankOf(b.path) || (a.path < b.path ? -1 : 1));
  const unknown = send.filter(({ path }) => !isThumbnail(path) && !isOurs(path));
  if (former.isWhole && !base && !run.takeOver) await refuseOthers(bucket, unknown);
  const remove = [...new Set([...former.files.keys(), ...intent, ...(base ? source.gone : [])])]
    .filter((key) => !site.has(key))
    .sort((a, b) => rankOf(b) - rankOf(a) || (a < b ? -1 : 1));
  const unchanged = site.size - send.length;
  return { send, remove, unchanged, notes, deployed: deployed?.text, intent };
}

/** When the site in the bucket was built; undefined where there is none. */
async function liveIn(bucket: Bucket): Promise<string | undefined> {
  const bytes = await bucket.getFile(PUBLISHED_TIMES);
  const times = bytes && readTimes(bytes);
  return times && newestOf(times);
}

/** What lies there where the build began with it: all that is not on this disk is as it is to be. */
function formerOf(source: DeploySource, { extra }: Deployed): Former {
  const files: Former['files'] = new Map(extra);
  for (const { path, hash } of source.files.values()) if (!source.has(path)) files.set(path, hash);
  return { files, isWhole: true };
}

/**
 * Thumbnails that are there although nothing says so for certain: their names say what is in them, so
 * one of the right size is right. Not looked for where one on this disk is surely new.
 */
async function adoptedOf(
  bucket: Bucket,
  changed: readonly SiteFile[],
  mayBeThere: (path: string) => boolean,
): Promise<Set<string>> {
  const there = await pMap(
    changed.filter(({ path }) => isThumbnail(path) && mayBeThere(path)),
    async ({ path, size }) => ((await bucket.sizeOf(path)) === size ? [path] : []),
    { concurrency: AT_ONCE },
  );
  return new Set(there.flat());
}

/**
 * Looks at what would be replaced by files that no deploy of ours has sent before.
 *
 * @throws {ConfigError} something else lies there; nothing was sent.
 */
async function refuseOthers(bucket: Bucket, files: readonly SiteFile[]): Promise<void> {
  const found = await pMap(
    files,
    async (file) => {
      const isThere = (await bucket.sizeOf(file.path)) !== undefined;
      // The same bytes are nobody's loss.
      return isThere && !(await bucket.holds(file)) ? [file.path] : [];
    },
    { concurrency: AT_ONCE },
  );
  const others = found.flat();
  if (others.length === 0) return;
  const more = others.length > 5 ? `, and ${others.length - 5} more` : '';
  throw new ConfigError({
    code: 'bucket-not-ours',
    what: `The bucket holds files that no deploy of this program sent: ${others.sort().slice(0, 5).join(', ')}${more}.`,
    why: 'The site has files of the same names, and would replace them.',
    fix: 'Deploy to a folder of its own in the bucket (S3_PREFIX) or to another bucket (S3_BUCKET); or, if nobody needs them, replace them with --take-over.',
  });
}

/** Sends and removes. @throws {LostContent} something is nowhere; nothing was sent or removed. */
async function carryOut(
  bucket: Bucket,
  lock: Lock,
  {
    source,
    run,
    work,
    deployed,
  }: { source: DeploySource; run: HostRun; work: Work; deployed: Deployed | undefined },
): Promise<Sent> {
  const list = await deployedOf(source, deployed);
  const send = await lackingOf(bucket, source, work.send);
  const { remove } = work;
  if (send.length + remove.length + lock.adopted.length > 0) {
    await lock.intend([...send.map(({ path }) => path), ...remove]);
    if (!lock.isObeyed) run.notify({ kind: 'line', text: UNLOCKED });
  }
  let sent: SentFiles = { files: 0, bytes: 0, fetched: { files: 0, bytes: 0 } };
  // One rank after the other: what is there finds what it names.
  for (const [, ofRank] of Map.groupBy(send, ({ path }) => rankOf(path))) {
    const sentNow = await sendFiles(ofRank, source, run, {
      atOnce: AT_ONCE,
      send: async (file, bytes) => {
        await lock.check();
        await bucket.putFile(file.path, bytes);
      },
    });
    sent = both(sent, sentNow);
  }
  await lock.check();
  if (list !== work.deployed) await writeDeployed(bucket, list);
  // The other way round: a page goes before its pictures.
  for (const [, ofRank] of Map.groupBy(remove, rankOf)) {
    await pMap(
      ofRank,
      async (key) => {
        await lock.check();
        await bucket.remove(key);
      },
      { concurrency: AT_ONCE },
    );
  }
  const unchanged = work.unchanged + work.send.length - send.length;
  return { ...sent, removed: remove.length, unchanged };
}

const both = (one: SentFiles, other: SentFiles): SentFiles => ({
  files: one.files + other.files,
  bytes: one.bytes + other.bytes,
  fetched: {
    files: one.fetched.files + other.fetched.files,
    bytes: one.fetched.bytes + other.fetched.bytes,
  },
});

const UNLOCKED =
  'This host does not keep two deploys apart (it ignores conditions): see that only one runs at a time.';

/** Without those that are there as they are to be, and not on this disk; the others are brought here. */
async function lackingOf(
  bucket: Bucket,
  source: DeploySource,
  files: readonly SiteFile[],
): Promise<SiteFile[]> {
  const away = files.filter(({ path }) => !source.has(path));
  const there = new Set<string>();
  const look = async (file: SiteFile) => {
    if (await bucket.holds(file)) there.add(file.path);
  };
  await pMap(away, look, { concurrency: AT_ONCE });
  const lacking = files.filter(({ path }) => !there.has(path));
  await source.fetch(lacking.filter(({ path }) => !source.has(path)));
  return lacking;
}
