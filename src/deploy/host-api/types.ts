import type { SiteFile } from '../../change-set/change-set.ts';
import type { DeploySettings } from '../../config/deploy-settings.ts';
import type { Clock, Http } from '../../lib/http/http.ts';
import type { Console } from '../../lib/terminal/progress.ts';
import type { HostHttpSettings } from './http.ts';

/** Hosts that `npm run deploy` supports. */
export type HostId = keyof DeploySettings;

/** The result of a build, with access to the bytes that are not on this disk. */
export interface DeploySource {
  /** A change set, or the whole site as a folder. */
  form: 'thin' | 'whole';
  /** URL of the site, without a slash at the end. Undefined if it is not known. */
  site: string | undefined;
  /** When the newest response that it shows was accepted, UTC. */
  built: string;
  /** When the first build of it ran, UTC, if no build has read a published site since. See `TimesNotes`. */
  first: string | undefined;
  /** The whole site, including files that the user added, by path. */
  files: ReadonlyMap<string, SiteFile>;
  /** Pages that are new, changed or removed. Empty for a whole folder. */
  changed: readonly string[];
  /** Key of IndexNow, if changed URLs are reported. */
  indexNow: string | undefined;
  /** Whether the build left the bytes on this disk. */
  has(path: string): boolean;
  /**
   * Downloads files that are not on this disk from the live site, and compares their hashes. Hosts call this
   * before they change anything.
   *
   * @throws {GateError} the bytes of some are lost.
   */
  fetch(files: readonly SiteFile[]): Promise<void>;
  /**
   * Bytes of a file on this disk, compared with the hash.
   *
   * @throws {GateError} they are not on this disk, or have changed.
   */
  bytes(file: SiteFile): Promise<Buffer>;
}

/** A deploy before it is carried out. */
export interface DeployPlan {
  /** Files to send. Undefined if the host requests them only after it received the list. */
  send: readonly SiteFile[] | undefined;
  /** Files of earlier deploys that the site no longer has. */
  remove: readonly string[];
  unchanged: number;
  /** The host alters pages before it serves them, so they cannot be compared. */
  altersPages?: boolean;
  /** Lines for the user. */
  notes: readonly string[];
}

/** The result of a deploy. */
export interface Sent {
  /** Files that were sent, and their bytes. */
  files: number;
  bytes: number;
  /** Undefined if the host does not report it. */
  removed?: number;
  unchanged: number;
  /** Requested files that were downloaded from the live site. */
  fetched: { files: number; bytes: number };
  /** Id of the new release, if a rollback to it is possible. */
  release?: string;
}

/** A deploy that the host still stores. */
export interface Release {
  id: string;
  /** When it was built or deployed, UTC. */
  at: string;
  isLive: boolean;
}

/** Services and options of a command, for a host. */
export interface HostRun {
  http: Http;
  /** Used for waits between requests. */
  clock: Clock;
  signal: AbortSignal;
  console: Pick<Console, 'line' | 'warn' | 'progress'>;
  /** The user allows replacing unrelated and newer sites. */
  takeOver: boolean;
}

/** A deploy target. */
export interface Host {
  readonly id: HostId;
  /** How requests to it are made and named in errors. */
  readonly http: HostHttpSettings;
  /** How it receives `_headers` and `_redirects`. A host that does not read them would serve them as pages. */
  readonly rules: 'files' | 'settings' | 'unread';
  /** Only reads, as for `--dry-run`. */
  plan(source: DeploySource, run: HostRun): Promise<DeployPlan>;
  /** Ends when the host serves the site. @param plan made by {@link Host.plan}. */
  deploy(source: DeploySource, plan: DeployPlan, run: HostRun): Promise<Sent>;
  /** The newest first. Empty if the host stores none. */
  releases(run: HostRun): Promise<Release[]>;
  /** Makes one of its releases live again. */
  show(release: Release, run: HostRun): Promise<void>;
}
