import { existsSync, lstatSync, readlinkSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pMap from 'p-map';
import { changesLines, readChanges, type SiteFile } from '../../change-set/change-set.ts';
import { listFiles } from '../../change-set/listing.ts';
import type { DeploySettings } from '../../config/deploy-settings.ts';
import { AppError, ConfigError } from '../../errors.ts';
import { claimFolder, type Refusal, refuseFolder, SYSTEM_FILES } from '../../lib/files/claim.ts';
import { entriesOf } from '../../lib/files/entries-of.ts';
import { deployNamed, lockFolder } from '../../lib/files/folder-lock.ts';
import { linkFile, openFolder } from '../../lib/files/hard-link.ts';
import { resolveLinks } from '../../lib/files/paths.ts';
import { makePublic, PUBLIC_FOLDER, setRights } from '../../lib/files/public-rights.ts';
import { isSafeFile } from '../../lib/files/safe-file.ts';
import { explainFullDisk } from '../../lib/files/system-errors.ts';
import { makeFolder, renamePatiently, writeFileAtomic } from '../../lib/files/write.ts';
import { fileHash } from '../../record/files.ts';
import { dealersIn } from '../../record/published-records.ts';
import { addedFiles, noRelease, underWay } from '../host-api/errors.ts';
import type { HostHttpSettings } from '../host-api/http.ts';
import { builtIn, checkLiveRelease } from '../host-api/live-release.ts';
import { countOf, countSent, type SentFiles, sendFiles } from '../host-api/send-files.ts';
import type { DeployPlan, DeploySource, Host, HostRun, Release, Sent } from '../host-api/types.ts';
import { idOf, isId, numberOf, timeOf } from './folder/release-id.ts';

/** No requests are made. */
const HTTP: HostHttpSettings = { code: 'folder', name: 'The folder', fix: 'Check DEPLOY_FOLDER.' };

/** Name of the link that a web server follows. */
const CURRENT = 'current';
const RELEASES = 'releases';
const INCOMING = '.incoming-';

/** Releases on disk. A deploy removes older ones. */
const MAX_RELEASES = 3;
/** Files that are read or written at the same time. */
const AT_ONCE = 8;
/** Files linked between two turns of the event loop. */
const AT_A_TIME = 500;

const REFUSAL: Refusal = {
  code: 'folder-not-ours',
  name: 'The folder',
  fix: 'Choose another folder with DEPLOY_FOLDER, preferably a new one, and set up the web server to show "current" in it.',
};

/** A plan, with the files that the new release shares with the live one. */
interface Work extends DeployPlan {
  send: readonly SiteFile[];
  /** Unchanged files, which become hard links. */
  linked: readonly SiteFile[];
  /** Whether the live release is this site. */
  isLive: boolean;
}

/** Whether a file of a release has these bytes. It is read if no list names them, or if it changed after the list. */
async function isIntact(there: string, { size, hash }: SiteFile, listTime = -1): Promise<boolean> {
  const found = await stat(there).catch(() => undefined);
  if (found?.size !== size) return false;
  return found.ctimeMs <= listTime || fileHash(await readFile(there)) === hash;
}

/**
 * A folder on this machine's disks, such as a web server's. Each deploy creates a separate folder, with hard links
 * to unchanged files of the previous release, and then switches a symbolic link. Visitors see either the old site
 * or the new one.
 */
export class Folder implements Host {
  readonly id = 'folder';
  readonly http = HTTP;
  readonly rules = 'unread';
  readonly #into: string;

  constructor({ into }: DeploySettings['folder']) {
    this.#into = resolveLinks(path.resolve(into));
  }

  async plan(source: DeploySource, run: HostRun): Promise<DeployPlan> {
    this.#claim();
    return this.#work(source, run);
  }

  async deploy(source: DeploySource, _: DeployPlan, run: HostRun): Promise<Sent> {
    using _lock = this.#lock();
    const work = await this.#work(source, run);
    const counts = { removed: work.remove.length, unchanged: work.unchanged };
    await source.fetch(work.send);
    this.#clean();
    // A repeated deploy makes no release, because it would push out an earlier site.
    if (work.isLive) return { ...countSent([], source), ...counts };
    const id = idOf(numberOf(this.#ids().at(-1) ?? '') + 1, run.clock.now());
    const incoming = this.#at(INCOMING + id);
    const list = `${incoming}.ndjson`;
    let sent: SentFiles;
    try {
      sent = await this.#fill(incoming, source, { run, work });
      run.signal.throwIfAborted();
      makePublic(incoming);
      for (const folder of makeFolder(this.#at(RELEASES))) setRights(folder, PUBLIC_FOLDER);
      // Before the switch, so that a full disk leaves the live site unchanged.
      // The list excludes user files with unsafe names, which deploys compare.
      const listed = [...source.files.values()].filter((file) => isSafeFile(file.path));
      const site = source.site ?? pathToFileURL(this.#into).href;
      const head = { site, built: source.built, changed: [] };
      await writeFileAtomic(list, [...changesLines(head, listed)].join(''));
      renamePatiently(incoming, this.#release(id), 10_000);
    } catch (error) {
      // The web server may need this disk.
      rmSync(incoming, { recursive: true, force: true });
      throw explainFullDisk(error, [this.#into], countOf(work.send).bytes) ?? error;
    }
    this.#switch(id);
    // Only releases that were live have a list with this name.
    renamePatiently(list, this.#list(id));
    this.#clean();
    // Links and their removal change the ctime of unedited files, so the list gets a later one.
    utimesSync(this.#list(id), new Date(), new Date());
    return { ...sent, ...counts, release: id };
  }

  async releases(): Promise<Release[]> {
    const current = this.#currentId();
    return this.#ids()
      .filter((id) => id === current || existsSync(this.#list(id)))
      .map((id) => ({ id, at: timeOf(id), isLive: id === current }))
      .reverse();
  }

  async show({ id }: Release): Promise<void> {
    using _lock = this.#lock();
    // A deploy may have removed it since it was listed.
    if (!existsSync(this.#list(id))) throw noRelease(HTTP.name, id, this.#ids().length);
    this.#switch(id);
  }

  #at(...names: string[]): string {
    return path.join(this.#into, ...names);
  }

  #release(id: string): string {
    return this.#at(RELEASES, id);
  }

  #list(id: string): string {
    return `${this.#release(id)}.ndjson`;
  }

  /** @throws {ConfigError} the folder has user files. Nothing was changed. */
  #claim(): () => void {
    const mark = claimFolder(this.#into, { ...REFUSAL, kind: 'releases' });
    const current = lstatSync(this.#at(CURRENT), { throwIfNoEntry: false });
    if (current && !current.isSymbolicLink()) {
      refuseFolder(this.#into, REFUSAL, `There is "${CURRENT}" in it, which is not a link.`);
    }
    return mark;
  }

  /** @throws {GateError} another deploy is under way. */
  #lock(): Disposable {
    const mark = this.#claim();
    try {
      for (const folder of makeFolder(this.#into)) setRights(folder, PUBLIC_FOLDER);
      mark();
      return lockFolder(this.#into, deployNamed(this.#into));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'build-already-running') {
        throw explainFullDisk(error, [this.#into], undefined) ?? error;
      }
      throw underWay('folder', `It holds ${this.#at('lock')}.`);
    }
  }

  /** Ids of the releases, the oldest first. */
  #ids(): string[] {
    return entriesOf(this.#at(RELEASES))
      .filter((entry) => entry.isDirectory() && isId(entry.name))
      .map(({ name }) => name)
      .sort((a, b) => numberOf(a) - numberOf(b));
  }

  #currentId(): string | undefined {
    try {
      const id = path.basename(readlinkSync(this.#at(CURRENT)));
      return isId(id) && existsSync(this.#release(id)) ? id : undefined;
    } catch {
      return undefined;
    }
  }

  /** Compares the site with the live release. Changes nothing. */
  async #work(source: DeploySource, run: HostRun): Promise<Work> {
    const id = this.#currentId();
    const listFile = this.#list(id ?? '');
    const listTime = (await stat(listFile).catch(() => undefined))?.ctimeMs;
    const list = listTime === undefined ? undefined : await readChanges(listFile);
    const live = list ?? (id === undefined ? undefined : await builtIn(this.#release(id)));
    const dealers = dealersIn(list?.files.keys() ?? []);
    const notes = live ? checkLiveRelease({ ...live, dealers }, source, run) : [];
    const linked: SiteFile[] = [];
    const send: SiteFile[] = [];
    await pMap(
      source.files.values(),
      async (file) => {
        const isListed = list?.files.get(file.path)?.hash === file.hash;
        const there = path.join(this.#release(id ?? ''), file.path);
        const isThere = await isIntact(there, file, isListed ? listTime : undefined);
        (isThere ? linked : send).push(file);
      },
      { concurrency: AT_ONCE },
    );
    // Not from the list, which excludes some user files.
    const all = id === undefined ? [] : listFiles(this.#release(id)).files;
    const remove = all.filter((file) => !source.files.has(file));
    const isAdded = (file: string) =>
      list?.files.has(file) === false && isSafeFile(file) && !SYSTEM_FILES.has(path.basename(file));
    const added = remove.filter(isAdded);
    if (added.length > 0 && !run.takeOver) throw addedFiles(this.#at(CURRENT), added);
    const isLive = list !== undefined && send.length === 0 && remove.length === 0;
    return { send, linked, remove, unchanged: linked.length, isLive, notes };
  }

  /** Writes the files of a release to its temporary folder. */
  async #fill(incoming: string, source: DeploySource, { run, work }: { run: HostRun; work: Work }) {
    makeFolder(incoming);
    const from = this.#release(this.#currentId() ?? '');
    for (const [number, file] of work.linked.entries()) {
      if (number % AT_A_TIME === 0) {
        run.signal.throwIfAborted();
        await run.clock.sleep(0, run.signal);
      }
      linkFile(path.join(from, file.path), path.join(incoming, file.path));
    }
    const write = openFolder(incoming);
    // After a failure, files that are still being read are not written.
    let isOpen = true;
    try {
      return await sendFiles(work.send, source, run, {
        atOnce: AT_ONCE,
        send: async (file, bytes) => {
          if (isOpen) write(file.path, bytes);
        },
      });
    } finally {
      isOpen = false;
    }
  }

  /** Switches the link. @throws {ConfigError} links are not possible. */
  #switch(id: string): void {
    const next = this.#at(`.${CURRENT}-${id}`);
    rmSync(next, { force: true });
    try {
      symlinkSync(path.join(RELEASES, id), next, 'dir');
      // Windows replaces no link to a folder, so the live site is missing for a moment.
      if (process.platform === 'win32') rmSync(this.#at(CURRENT), { force: true });
      renamePatiently(next, this.#at(CURRENT));
    } catch (cause) {
      rmSync(next, { force: true });
      throw new ConfigError({
        code: 'folder-no-links',
        what: `The link ${this.#at(CURRENT)} cannot be made.`,
        why: `The file system has no symbolic links, or this user may not create them (${(cause as NodeJS.ErrnoException).code}).`,
        fix: 'Choose a folder on another disk. On Windows, enable developer mode. The live site is unchanged.',
        cause,
      });
    }
  }

  /** Removes old releases and leftovers of killed deploys, or in a later deploy if another program uses them. */
  #clean(): void {
    const remove = (folder: string): void => {
      try {
        rmSync(folder, { recursive: true, force: true });
      } catch {
        // The live site does not need this folder removed.
      }
    };
    for (const { name } of entriesOf(this.#into)) {
      const isLeftover = name.startsWith(INCOMING) || name.startsWith(`.${CURRENT}-`);
      if (isLeftover) remove(this.#at(name));
    }
    const current = this.#currentId();
    const others = this.#ids().filter((id) => id !== current);
    const recent = others.filter((id) => existsSync(this.#list(id))).slice(-(MAX_RELEASES - 1));
    for (const id of others.filter((other) => !recent.includes(other))) {
      // The list is removed first: an interrupted removal then leaves no release that looks complete.
      rmSync(this.#list(id), { force: true });
      remove(this.#release(id));
    }
  }
}
