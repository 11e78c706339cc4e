import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, watch } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { enginesOf } from '../../src/config/engines.ts';
import { openEngines } from '../../src/images/pipeline/engines.ts';
import { runPipeline } from '../../src/images/pipeline/pipeline.ts';
import type {
  MediaProgress,
  MediaResult,
  PipelineOptions,
} from '../../src/images/pipeline/types.ts';
import { type Source, sourceKey } from '../../src/images/plan.ts';
import { recipeBook } from '../../src/images/recipe-book.ts';
import { isOutputName } from '../../src/images/recipes.ts';
import { claimFolder } from '../../src/lib/files/claim.ts';
import { dealerOf } from '../../src/record/known-pictures.ts';
import { follow, type Running } from './command.ts';
import { FIRST_NIGHT, mediaConfig } from './image-pipeline.ts';
import type { PictureHost } from './picture-host.ts';
import { openPictureMemory } from './picture-memory.ts';

const MEDIA = { widths: [64, 128] };
const SCRIPT = path.resolve(import.meta.dirname, '../../scripts/run.ts');

/** A worker in a separate process, started by its real command. */
export interface WorkerProcess extends Pick<Running, 'child' | 'prints'> {
  pid: number;
  /** Its output, one line per vehicle. */
  output: () => string;
  signal: (signal: NodeJS.Signals) => void;
  /** Kills it and its child processes immediately, like a power failure. */
  kill: () => Promise<void>;
}

/** Variables that point at queue and store. */
export type FleetEnv = Record<string, string>;

/** One cache folder, the builds that use it, and their workers. */
export class Fleet implements AsyncDisposable {
  readonly folder: string;
  readonly #host: Pick<PictureHost, 'baseUrl' | 'urls'>;
  readonly #env: FleetEnv;
  readonly workers: WorkerProcess[] = [];

  private constructor(folder: string, host: Pick<PictureHost, 'baseUrl' | 'urls'>, env: FleetEnv) {
    this.folder = folder;
    this.#host = host;
    this.#env = env;
  }

  static async open(host: Pick<PictureHost, 'baseUrl' | 'urls'>, env: FleetEnv): Promise<Fleet> {
    const folder = await mkdtemp(path.join(tmpdir(), 'fleet-'));
    const config = {
      service: { baseUrl: host.baseUrl },
      site: { title: 'Test', url: 'https://test.example' },
      media: MEDIA,
    };
    await writeFile(path.join(folder, 'site.config.json'), JSON.stringify(config));
    const fleet = new Fleet(folder, host, env);
    // Like a build whose workers encode thumbnails.
    claimFolder(fleet.cacheDir, {
      kind: 'cache',
      code: 'cache-not-ours',
      name: 'The cache',
      fix: '',
    })();
    return fleet;
  }

  get cacheDir(): string {
    return path.join(this.folder, 'cache');
  }

  async worker(...options: string[]): Promise<WorkerProcess> {
    const child = spawn(
      process.execPath,
      [SCRIPT, 'worker', '--config', 'site.config.json', '--cache', this.cacheDir, ...options],
      { cwd: this.folder, env: { ...process.env, ...this.#env }, detached: true },
    );
    const { printed, prints } = follow(child);
    const pid = child.pid ?? 0;
    // Its own process group: the encoder goes with it.
    const signal = (name: NodeJS.Signals) => {
      try {
        process.kill(-pid, name);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    };
    const worker: WorkerProcess = {
      child,
      pid,
      output: () => printed.stdout + printed.stderr,
      prints,
      signal,
      kill: async () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, 'exit');
        signal('SIGKILL');
        await ended;
      },
    };
    this.workers.push(worker);
    await worker.prints(/Waiting for vehicles/);
    return worker;
  }

  /** Sources of the host's pictures, several per vehicle, with vehicles spread over two dealers. */
  sources(perVehicle: number, days = 0): Source[] {
    const recipes = recipeBook(mediaConfig(MEDIA)).picture;
    return this.#host.urls.map((url, number) => {
      const vehicle = Math.floor(number / perVehicle);
      const vehicleDate = new Date(FIRST_NIGHT + days * 86_400_000).toISOString();
      const key = sourceKey(1 + (vehicle % 2), { id: number, url });
      return { key, url, vehicle: `v${vehicle}`, vehicleDate, recipes };
    });
  }

  /** One run of the image pipeline with the queue and store of the environment, and its clean-up. */
  async run(
    sources: readonly Source[],
    options: {
      cacheDir?: string;
      env?: FleetEnv;
      timeout?: number;
      say?: (line: string) => void;
      signal?: AbortSignal;
      onProgress?: (progress: MediaProgress) => void;
      limit?: PipelineOptions['limit'];
      without?: PipelineOptions['without'];
    } = {},
  ): Promise<MediaResult> {
    const { cacheDir = this.cacheDir, env = this.#env, timeout, say, ...rest } = options;
    await using open = await openEngines(enginesOf(env), cacheDir, {
      timeout,
      notify: say,
    });
    const dealers = new Set(sources.map(({ key }) => dealerOf(key)));
    const pictures = await openPictureMemory(cacheDir, dealers);
    const result = await runPipeline({
      ...rest,
      known: pictures.known,
      lastConfirmed: () => FIRST_NIGHT,
      sources,
      media: mediaConfig(MEDIA, { downloads: 2, encoders: 1, timeout: 10_000 }),
      baseUrl: this.#host.baseUrl,
      cacheDir,
      now: FIRST_NIGHT,
      engines: open.engines,
    });
    pictures.save();
    await result.removeUnplanned();
    return result;
  }

  /** Counts from outside how often each output is renamed, which happens once per encoding. */
  watchEncodings(): { counts: Map<string, number>; close: () => void } {
    const counts = new Map<string, number>();
    const watchers = Array.from({ length: 256 }, (_, number) => {
      const shard = number.toString(16).padStart(2, '0');
      const folder = path.join(this.cacheDir, 'media', 'files', shard);
      mkdirSync(folder, { recursive: true });
      return watch(folder, (event, file) => {
        const name = `${shard}/${file}`;
        if (event === 'rename' && isOutputName(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
      });
    });
    return {
      counts,
      close: () => {
        for (const watcher of watchers) watcher.close();
      },
    };
  }

  /** Result of the pictures of a host in one process. */
  static async alone(host: PictureHost, perVehicle: number): Promise<Map<string, string>> {
    await using fleet = await Fleet.open(host, {});
    await fleet.run(fleet.sources(perVehicle));
    return readState(fleet.cacheDir);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.kill()));
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Every record and output of a cache folder with the hash of its bytes, and the time of outputs. */
export async function readState(cacheDir: string): Promise<Map<string, string>> {
  const state = await Promise.all(
    ['media', 'records'].map(async (below) => {
      const folder = path.join(cacheDir, below);
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      return Promise.all(
        files.map(async ({ parentPath, name }): Promise<[string, string]> => {
          const file = path.join(parentPath, name);
          const hash = createHash('sha256').update(await readFile(file));
          const time = below === 'media' ? (await stat(file)).mtimeMs : '';
          return [path.relative(cacheDir, file), `${hash.digest('hex')} ${time}`];
        }),
      );
    }),
  );
  return new Map(state.flat().sort(([a], [b]) => (a < b ? -1 : 1)));
}
