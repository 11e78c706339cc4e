import pMap from 'p-map';
import type { SiteFile } from '../../change-set/change-set.ts';
import { isThumbnail } from '../../change-set/listing.ts';
import type { DeploySettings } from '../../config/deploy-settings.ts';
import { ConfigError } from '../../errors.ts';
import { MEDIA } from '../../images/stores/folder.ts';
import { firstOf } from '../../lib/terminal/count-text.ts';
import { fileHash, readFiles } from '../../record/files.ts';
import { dealersIn, isRecordFile, PUBLISHED_TIMES } from '../../record/published-records.ts';
import { newestOf, readTimes } from '../../record/times.ts';
import { closingHttp } from '../host-api/http.ts';
import { checkLiveRelease } from '../host-api/live-release.ts';
import { groupByRank, sendFiles } from '../host-api/send-files.ts';
import type { DeployPlan, DeploySource, Host, HostRun, Sent } from '../host-api/types.ts';
import { Bucket, deployedText, HTTP } from './s3/bucket.ts';
import { Lock, readIntent } from './s3/lock.ts';

/** Requests at the same time. */
const AT_ONCE = 16;

/**
 * Thumbnails first, then pages, then the records for the next build: a page never lacks its thumbnails,
 * and a record never lacks its pages. Removals use the reverse order.
 */
function rankOf(path: string): number {
  if (path === PUBLISHED_TIMES) return 4;
  if (isRecordFile(path)) return 3;
  if (path.startsWith(MEDIA)) return 0;
  return path.endsWith('.html') ? 2 : 1;
}

/** A plan, and the state of the bucket that it is based on. */
interface Work extends DeployPlan {
  send: readonly SiteFile[];
  /** ETags of all objects, by key. */
  etags: Map<string, string>;
  /** See `deployedText`. Undefined before the first deploy. */
  deployed: string | undefined;
  intent: readonly string[];
}

/**
 * Any S3 host. It cannot switch all objects at once, so visitors see old and new pages during a deploy, but no
 * page without its thumbnails. A deploy lists the bucket and compares. It recognises thumbnails by their names,
 * and all other files of the site by the list of the last deploy, or the records if the list is lost, and the lock
 * of an interrupted deploy. It never replaces or removes another object.
 */
export class S3Host implements Host {
  readonly id = 's3';
  readonly http = HTTP;
  readonly rules = 'unread';
  readonly #settings: DeploySettings['s3'];

  constructor(settings: DeploySettings['s3']) {
    this.#settings = settings;
  }

  async plan(source: DeploySource, run: HostRun): Promise<Work> {
    const bucket = new Bucket(this.#settings, run.http);
    return planWork(bucket, source, run, await readIntent(bucket));
  }

  async deploy(source: DeploySource, planned: DeployPlan, run: HostRun): Promise<Sent> {
    const bucket = new Bucket(this.#settings, run.http);
    const lock = await Lock.take(bucket, run);
    try {
      const work = await planWork(bucket, source, run, lock.adopted, planned as Work);
      const sent = await carryOut(bucket, lock, source, run, work);
      await lock.release();
      return sent;
    } catch (error) {
      await using http = closingHttp(HTTP, run.clock);
      await lock.abandon(new Bucket(this.#settings, http));
      throw error;
    }
  }

  /** A bucket holds one site. */
  async releases(): Promise<[]> {
    return [];
  }

  async show(): Promise<void> {}
}

/**
 * Compares the site with the bucket. Changes nothing.
 *
 * @param intent files that an interrupted deploy was sending or removing.
 * @param planned an earlier plan, which is returned if no deploy has changed the bucket since.
 * @throws {ConfigError} unrelated files would be replaced.
 * @throws {GateError} the bucket holds a newer site.
 */
async function planWork(
  bucket: Bucket,
  source: DeploySource,
  run: HostRun,
  intent: readonly string[],
  planned?: Work,
): Promise<Work> {
  const deployed = await bucket.deployed();
  const text = deployed && deployedText(deployed);
  const isSameIntent = planned?.intent.join('\n') === intent.join('\n');
  if (planned && planned.deployed === text && isSameIntent) return planned;

  const objects = await bucket.objects();
  // Without a list, the times are read from the site.
  const times = deployed ? undefined : await bucket.getFile(PUBLISHED_TIMES);
  const built = deployed?.built ?? (times && newestOf(readTimes(times)?.times));
  const listedFiles = new Map(Object.entries(deployed?.files ?? {}));
  const live = { site: deployed?.site, dealers: dealersIn(listedFiles.keys()) };
  const notes = built === undefined ? [] : checkLiveRelease({ built, ...live }, source, run);

  const recorded = deployed ? [] : await recordedFiles(bucket, [...objects.keys()], source);
  const known = new Set([...listedFiles.keys(), ...intent, ...recorded]);
  const isDeployed = (key: string) => isThumbnail(key) || known.has(key);
  const isUnchanged = ({ path, size, hash }: SiteFile) => {
    const object = objects.get(path);
    // The name of a thumbnail identifies its content.
    if (isThumbnail(path)) return object?.size === size;
    const [listedHash, etag] = listedFiles.get(path) ?? [];
    return object !== undefined && object.etag === etag && listedHash === hash;
  };
  const changed = [...source.files.values()].filter((file) => !isUnchanged(file));
  // The list does not describe these objects. Sending them may be unnecessary or impossible.
  const unknown = changed.filter(
    ({ path }) => objects.has(path) && !(deployed && isDeployed(path) && source.has(path)),
  );
  const identical = new Set<SiteFile>();
  const compare = async (file: SiteFile) => {
    const bytes = await bucket.getFile(file.path, file.size);
    if (bytes && fileHash(bytes) === file.hash) identical.add(file);
  };
  await pMap(unknown, compare, { concurrency: AT_ONCE });
  const send = changed.filter((file) => !identical.has(file));
  const unrelated = send
    .map(({ path }) => path)
    .filter((key) => objects.has(key) && !isDeployed(key));
  if (unrelated.length > 0 && !run.takeOver) throw notOurs(unrelated);
  return {
    send,
    remove: [...objects.keys()].filter((key) => isDeployed(key) && !source.files.has(key)).sort(),
    unchanged: source.files.size - send.length,
    notes,
    etags: new Map(Array.from(objects.values(), ({ key, etag }) => [key, etag])),
    deployed: text,
    intent,
  };
}

/** Files of a site whose list is lost, according to its records in the bucket. None if it has other dealers. */
async function recordedFiles(
  bucket: Bucket,
  keys: readonly string[],
  source: DeploySource,
): Promise<string[]> {
  const ids = new Set(dealersIn(source.files.keys()));
  const dealers = dealersIn(keys);
  if (dealers.length > 0 && !dealers.some((id) => ids.has(id))) return [];
  const records = keys.filter(isRecordFile);
  const lists = await pMap(
    records.filter((key) => key.endsWith('.files.json')),
    (key) => bucket.getFile(key),
    { concurrency: AT_ONCE },
  );
  const rows = lists.flatMap((bytes) => (bytes && readFiles(bytes)?.rows) ?? []);
  return rows.length > 0 ? [...records, ...rows.flatMap((files) => [...files.keys()])] : [];
}

const notOurs = (keys: readonly string[]): ConfigError =>
  new ConfigError({
    code: 'bucket-not-ours',
    what: `The bucket holds files that no deploy of this program sent: ${firstOf(keys, 5)}.`,
    why: 'The site has files of the same names, and would replace them.',
    fix: 'Deploy to a separate folder in the bucket (S3_PREFIX) or to another bucket (S3_BUCKET). If these files are not needed, replace them with --take-over.',
  });

/** Sends and removes files. @throws {GateError} the bytes of a file are lost. Nothing was sent or removed. */
async function carryOut(
  bucket: Bucket,
  lock: Lock,
  source: DeploySource,
  run: HostRun,
  { send, remove, unchanged, etags }: Work,
): Promise<Sent> {
  await source.fetch(send);
  // If this deploy is also interrupted, the next one adopts the files of both.
  const keys = new Set([...lock.adopted, ...send.map(({ path }) => path), ...remove]);
  if (keys.size > 0) {
    const obeysConditions = await lock.intend([...keys]);
    if (!obeysConditions) run.console.line(UNLOCKED);
  }
  const sent = await sendFiles(send, source, run, {
    atOnce: AT_ONCE,
    rankOf,
    send: async ({ path }, bytes) => {
      await lock.check();
      etags.set(path, await bucket.putFile(path, bytes));
    },
  });
  await lock.check();
  const filesToList = [...source.files.values()].filter(({ path }) => !isThumbnail(path));
  const files = Object.fromEntries(
    filesToList.map(({ path, hash }) => [path, [hash, etags.get(path) ?? ''] as [string, string]]),
  );
  const text = deployedText({ built: source.built, site: source.site, files });
  await bucket.putDeployed(text);
  for (const [, keys] of groupByRank(remove, (key) => -rankOf(key))) {
    const removeOne = async (key: string) => {
      await lock.check();
      await bucket.delete(key);
    };
    await pMap(keys, removeOne, { concurrency: AT_ONCE });
  }
  return { ...sent, removed: remove.length, unchanged };
}

const UNLOCKED =
  'This host ignores conditional writes, so it cannot prevent simultaneous deploys: run only one at a time.';
