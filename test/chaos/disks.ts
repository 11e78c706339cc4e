import { cpSync, existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { RECORDS } from '../../src/record/published-records.ts';
import { readTree } from '../support/build.ts';
import { type Damage, inflict, nameOf } from './damage.ts';
import { ChaosHost, type Deployed } from './host.ts';
import type { Tree } from './live.ts';
import type { DiskKind, Lost, Night } from './schedule.ts';

/** Folders below a disk. */
export const siteOf = (disk: string): string => path.join(disk, 'site');
export const cacheOf = (disk: string): string => path.join(disk, 'cache');
export const changesOf = (disk: string): string => path.join(disk, 'changes');

/** Many small files: a single call takes a quarter of the time of one call per file. */
const copy = (from: string, to: string): void => cpSync(from, to, { recursive: true });

async function lose(disk: string, lost: Lost | undefined): Promise<void> {
  if (!lost) return;
  const name = lost === 'all' ? '.' : lost;
  await rm(path.join(cacheOf(disk), name), { recursive: true, force: true });
}

/** The machines and caches of one seed, and the served folder of the published site. */
export class Disks {
  readonly #root: string;
  #count = 0;
  /** The disk of the last build that published or continued. */
  kept: string;
  /** Copies of the caches of the last two nights, newest first. */
  readonly #caches: string[] = [];
  /** The public site. */
  readonly host: ChaosHost;
  /** Records of the previous deploy. */
  #former: Tree = new Map();

  private constructor(root: string, kept: string) {
    this.#root = root;
    this.kept = kept;
    this.host = new ChaosHost(path.join(root, 'host'));
  }

  /** Disks after a first night. */
  static async after(
    firstNight: string,
    root: string,
    clock: Pick<Deployed, 'now'>,
  ): Promise<Disks> {
    const keptDisk = path.join(root, 'first');
    copy(firstNight, keptDisk);
    const disks = new Disks(root, keptDisk);
    const folder = siteOf(keptDisk);
    const refused = await disks.deploy({ ...clock, folder, files: await readTree(folder) });
    if (refused !== undefined) throw new Error(`The first deploy failed: ${refused}`);
    await disks.saveCache(keptDisk);
    return disks;
  }

  async #fresh(name: string): Promise<string> {
    const folder = path.join(this.#root, `${name}-${++this.#count}`);
    await mkdir(folder);
    return folder;
  }

  /** A disk of the given kind, ready for a build. A copy, unless it is the kept disk and `clone` allows it. */
  async take(
    kind: DiskKind,
    night: Pick<Night, 'cache' | 'lost'>,
    { clone = false } = {},
  ): Promise<string> {
    if (kind === 'kept' && !clone) {
      await lose(this.kept, night.lost);
      return this.kept;
    }
    const disk = await this.#fresh(kind);
    if (kind === 'kept') copy(this.kept, disk);
    const cache = this.#caches[Math.min(night.cache, this.#caches.length - 1)];
    if (kind === 'restored' && cache) copy(cache, cacheOf(disk));
    await lose(disk, night.lost);
    return disk;
  }

  /** Keeps a copy of a cache, like a CI after a completed build. */
  async saveCache(disk: string): Promise<void> {
    if (!existsSync(cacheOf(disk))) return;
    const saved = await this.#fresh('saved');
    copy(cacheOf(disk), saved);
    this.#caches.unshift(saved);
    const old = this.#caches.splice(2);
    for (const folder of old) await rm(folder, { recursive: true });
  }

  /** Deploys a site. @returns the error code if visitors still see the old site. */
  async deploy(site: Deployed): Promise<string | undefined> {
    const records = path.join(this.host.live, RECORDS);
    const former: Tree = existsSync(records) ? await readTree(records) : new Map();
    const refused = await this.host.deploy(site);
    if (refused === undefined) this.#former = former;
    return refused;
  }

  /** Damages published records. @returns the changed files. */
  async damage(all: readonly Damage[]): Promise<Damage[]> {
    const live = path.join(this.host.live, RECORDS);
    const done: Damage[] = [];
    for (const damage of all) {
      const folders = [live];
      if (damage.reach !== 'site') folders.push(path.join(siteOf(this.kept), RECORDS));
      if (damage.reach === 'caches') {
        for (const cache of [cacheOf(this.kept), ...this.#caches]) {
          const records = path.join(cache, 'records');
          const names = existsSync(records) ? await readdir(records) : [];
          folders.push(...names.map((name) => path.join(records, name)));
        }
      }
      // An earlier damage may have removed the file from some of them.
      const inflicted: boolean[] = [];
      for (const folder of folders) inflicted.push(await inflict(folder, damage, this.#former));
      if (inflicted.includes(true)) done.push(damage);
    }
    if (done.length > 0) await this.host.listAgain(done.map((one) => RECORDS + nameOf(one)));
    return done;
  }

  /** A new machine is deleted after its night. The one whose site is live becomes the kept one. */
  async release(disk: string, { published }: { published: boolean }): Promise<void> {
    if (disk === this.kept) return;
    const discarded = published ? this.kept : disk;
    if (published) this.kept = disk;
    await rm(discarded, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
