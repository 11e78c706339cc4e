import { existsSync } from 'node:fs';
import { readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { changesLines, readChanges } from '../../src/change-set/change-set.ts';
import { deploy } from '../../src/deploy/deploy.ts';
import { Folder } from '../../src/deploy/hosts/folder.ts';
import { SYSTEM_CLOCK } from '../../src/lib/http/http.ts';
import { fileHash } from '../../src/record/files.ts';
import { PUBLISHED_TIMES } from '../../src/record/published-records.ts';
import { readTimes } from '../../src/record/times.ts';
import { readTree } from '../support/build.ts';
import type { Tree } from './live.ts';

/** A site to deploy. */
export interface Deployed {
  /** A full site or a change set. */
  folder: string;
  /** The full site. */
  files: Tree;
  /** Clock of the deploying machine, milliseconds since 1970. */
  now: number;
}

/** Files that the folder host does not serve, because a web server would show them as pages. */
const RULES = ['_headers', '_redirects'];

/** Time of a site's newest accepted response, milliseconds since 1970. */
export function builtOf(files: Tree): number {
  const read = readTimes(Buffer.from(files.get(PUBLISHED_TIMES) ?? '', 'latin1'));
  const entries = [...(read?.times.values() ?? [])];
  return Math.max(0, ...entries.map(({ confirmed }) => Date.parse(confirmed)));
}

/** The host of one seed: real deploys to a folder with the served release. */
export class ChaosHost {
  readonly #into: string;
  /** The served folder. */
  readonly live: string;
  #rules: [string, string][] = [];

  constructor(into: string) {
    this.#into = into;
    this.live = path.join(into, 'current');
  }

  /** The full live site. */
  async files(): Promise<Tree> {
    return new Map([...(await readTree(this.live)), ...this.#rules]);
  }

  /** Deploys a site. @returns the error code of a failed deploy. */
  async deploy({ folder, files, now }: Deployed): Promise<string | undefined> {
    const { report, error } = await deploy({
      host: new Folder({ into: this.#into }),
      takeOver: false,
      console: { line() {}, warn() {}, progress() {} },
      signal: AbortSignal.timeout(60_000),
      clock: { ...SYSTEM_CLOCK, now: () => now },
      folder,
      dryRun: false,
      verify: false,
      indexNow: '',
    });
    if (report.problem) return report.problem.code;
    if (error !== undefined) throw error;
    this.#rules = [...files].filter(([file]) => RULES.includes(file));
    return undefined;
  }

  /** Time of the live site's newest accepted response, stored at its deploy, so damage does not change it. */
  async built(): Promise<number> {
    return Date.parse((await this.#list()).changes.built);
  }

  async #list() {
    const list = path.join(this.#into, `${await readlink(this.live)}.ndjson`);
    const changes = await readChanges(list);
    if (!changes) throw new Error(`The host's list ${list} cannot be read.`);
    return { list, changes };
  }

  /** Updates the host's list after live files were altered, because a host knows its files. */
  async listAgain(altered: readonly string[]): Promise<void> {
    const { list, changes } = await this.#list();
    const rows = new Map(changes.files);
    for (const file of altered) {
      const liveFile = path.join(this.live, file);
      if (!existsSync(liveFile)) rows.delete(file);
      else {
        const { size } = await stat(liveFile);
        rows.set(file, { path: file, size, hash: fileHash(await readFile(liveFile)) });
      }
    }
    const lines = changesLines(changes, rows.values());
    await rm(list);
    await writeFile(list, [...lines].join(''));
  }
}
