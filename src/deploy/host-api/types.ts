import type { DeploySettings } from '../../config/deploy-settings.ts';
import type { Clock, Http } from '../../lib/http/http.ts';
import type { SiteFile } from '../../publish/change-set/change-set.ts';
import type { HostHttpSettings } from './http.ts';

/** Hosts that `npm run deploy` speaks to. */
export type HostId = keyof DeploySettings;

/** What a build left, and where bytes of it can be had that are not on this disk. */
export interface DeploySource {
  /** A change set, or the whole site as a folder. */
  form: 'thin' | 'whole';
  /** Address of the site, without a slash at the end; undefined where nobody says. */
  site: string | undefined;
  /** When the newest answer that it shows was accepted, UTC. */
  built: string;
  /** When the first build of it ran, UTC, if no build has read a published site since; see `firstIn`. */
  first: string | undefined;
  /** The whole site, including files that the user added, by path. */
  files: ReadonlyMap<string, SiteFile>;
  /** Pages that are new, changed or removed; empty for a whole folder. */
  changed: readonly string[];
  /** Published files that the site no longer has; empty for a whole folder. */
  gone: readonly string[];
  /** Key of IndexNow, if changed addresses are to be reported. */
  indexNow: string | undefined;
  /** Whether the build left the bytes on this disk. */
  has(path: string): boolean;
  /**
   * Brings files that are not on this disk here from the live site, compared with their hashes: for
   * hosts that show what they are sent at once, before they are sent anything.
   *
   * @throws {LostContent} with all that nobody has any more.
   */
  fetch(files: readonly SiteFile[]): Promise<void>;
  /**
   * From this disk, compared with the hash, else from the live site.
   *
   * @throws {LostContent} nobody has them any more. @throws {GateError} they are others on this disk.
   */
  bytes(file: SiteFile): Promise<Buffer>;
}

/** What a deploy would do. */
export interface DeployPlan {
  /** Files to be sent; undefined where the host says that only once it has the list. */
  send: readonly SiteFile[] | undefined;
  /** Paths that an earlier deploy of ours put there, and the site has no more. */
  remove: readonly string[];
  unchanged: number;
  /** The host alters pages before it serves them: they cannot be compared. */
  altersPages?: boolean;
  /** To be reported. */
  notes: readonly string[];
}

/** What a deploy did. */
export interface Sent {
  /** Files that were sent, and their bytes. */
  files: number;
  bytes: number;
  removed: number;
  unchanged: number;
  /** Files that were asked for and had to be fetched from the live site. */
  fetched: { files: number; bytes: number };
  /** Releases to which a rollback is possible. */
  release?: string | undefined;
}

/** A deploy that the host still has. */
export interface Release {
  id: string;
  /** When it was built or deployed, UTC. */
  at: string;
  isLive: boolean;
}

/** What a host needs of the run that it is part of. */
export interface HostRun {
  http: Http;
  /** For waits between questions. */
  clock: Clock;
  signal: AbortSignal;
  /** Said aloud while it works. */
  notify(event: DeployEvent): void;
  /** A person says that what somebody else put there may be replaced. */
  takeOver: boolean;
}

export type DeployEvent =
  | { kind: 'progress'; text: string; done: number; total: number }
  | { kind: 'line'; text: string };

/** A place where sites are served, and how one is put there. */
export interface Host {
  readonly id: HostId;
  /** How it is asked, and named in errors. */
  readonly http: HostHttpSettings;
  /** Whether it reads `_headers` and `_redirects`; other hosts would serve them as pages. */
  readonly readsRules: boolean;
  /** Whether visitors see either the whole old site or the whole new one. */
  readonly atomic: boolean;
  /** Only reads: this is what `--dry-run` does. */
  plan(source: DeploySource, run: HostRun): Promise<DeployPlan>;
  /** Ends when the host serves the site. */
  deploy(source: DeploySource, plan: DeployPlan, run: HostRun): Promise<Sent>;
  /** The newest first; empty if the host stores none. */
  releases(run: HostRun): Promise<Release[]>;
  /** Makes one of its releases live again. */
  show(release: Release, run: HostRun): Promise<void>;
}
