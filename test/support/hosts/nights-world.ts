import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import type { Clock } from '../../../src/lib/http/http.ts';
import { expectPictures, type Site, servedOf } from './change-set.ts';
import type { HostServer } from './host.ts';
import type { HostKind } from './kinds.ts';
import { type BuildOptions, buildLiteral, type Stock } from './literal-nights.ts';
import type { Night } from './random-nights.ts';
import type { S3Host } from './s3.ts';
import { startWorld } from './world.ts';

/** Time that passes only during sleeps, or in fast motion for two parallel deploys. */
class NightClock implements Clock {
  readonly #speed: number;
  #time = Date.parse('2026-03-02T02:00:00Z');
  #real: number | undefined;

  constructor(speed: number) {
    this.#speed = speed;
  }

  now(): number {
    return (
      this.#time + (this.#real === undefined ? 0 : (performance.now() - this.#real) * this.#speed)
    );
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#real !== undefined) await wait(ms / this.#speed, undefined, { signal });
    else this.#time += ms;
  }

  async shared<T>(work: () => Promise<T>): Promise<T> {
    this.#real = performance.now();
    const result = await work();
    this.#time = this.now();
    this.#real = undefined;
    return result;
  }

  nextDay(): string {
    this.#time = Math.ceil(this.#time + 86_400_000);
    return new Date(this.#time).toISOString();
  }
}

const THEIRS = 'theirs/file.txt';

type World = Awaited<ReturnType<typeof startWorld<HostServer, object, NightClock>>>;

/** A host, its site, and the deploys tried there. */
export class NightsWorld implements AsyncDisposable {
  readonly clock: NightClock;
  readonly #kind: HostKind;
  readonly #world: World;
  /** The served site before the next switch. */
  published: Site | undefined;
  /** Sites that may be partially deployed since the last successful deploy. */
  tried: Site[] = [];
  /** All built sites. */
  readonly #built: Site[] = [];

  private constructor(kind: HostKind, world: World) {
    this.clock = world.clock;
    this.#kind = kind;
    this.#world = world;
  }

  static async start(kind: HostKind): Promise<NightsWorld> {
    // A deploy to a bucket is dead after 90 s of silence. A merely busy machine must not exceed this.
    const world = await startWorld(kind, {}, new NightClock(kind.id === 's3' ? 20 : 300));
    if (kind.id === 's3') {
      const { objects } = world.host as S3Host;
      objects.set(`/cars/${THEIRS}`, { body: Buffer.from('theirs') });
    }
    return new NightsWorld(kind, world);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#world[Symbol.asyncDispose]();
  }

  served(): Map<string, string> {
    const served = this.#world.served();
    if (this.#kind.id === 's3') {
      expect(served.get(THEIRS), 'a file of somebody else').toBe('theirs');
      served.delete(THEIRS);
    }
    return served;
  }

  async build(
    name: string,
    stock: Stock,
    more: Pick<BuildOptions, 'built' | 'added'> & Partial<BuildOptions>,
  ): Promise<Site> {
    const { folder, host } = this.#world;
    const site = await buildLiteral(path.join(folder, name), stock, {
      url: host.siteUrl,
      live: host.served(),
      ...more,
    });
    this.#built.push(site);
    return site;
  }

  async deploy(name: string, signal?: AbortSignal): Promise<AppError | undefined> {
    try {
      await this.#world.deploy(path.join(this.#world.folder, name), {
        ...(signal && { signal }),
        onEvent: () => {
          if (signal) this.#step();
          if (this.#kind.isAtomic) this.#expectOneSite();
        },
      });
      return undefined;
    } catch (error) {
      if (error instanceof AppError) return error;
      if ((error as Error).name !== 'AbortError') throw error;
      return new AppError({ code: 'command-interrupted', what: 'Interrupted.' });
    }
  }

  /** At any moment of a deploy. */
  #expectOneSite(): void {
    // Read in one step, because a host may switch during the comparison.
    const served = this.served();
    const sites = [this.published ?? {}, ...this.tried];
    expect(
      sites.some((site) => this.isServed(site, served)),
      'a site, whole',
    ).toBe(true);
  }

  /** Rolls back to the previous site, if the host has it. */
  async back(why: string): Promise<void> {
    const before = this.served();
    try {
      const { id } = await this.#world.rollback();
      this.published = this.#built.find((site) => this.isServed(site));
      expect(this.published, `${why}: a whole site again`).toBeDefined();
      const live = (await this.#world.releases()).filter(({ isLive }) => isLive);
      expect(live.map((release) => release.id)).toEqual([id]);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'deploy-no-release') throw error;
      expect(this.served()).toEqual(before);
    }
  }

  forget(every: number): void {
    // A lost file in a bucket would go unnoticed, because unchanged files are not requested.
    if (this.#kind.id === 's3') return;
    const files = [...this.#world.host.served().keys()].filter((_, index) => index % every === 0);
    this.#world.host.forget(files);
    // Other hosts still serve lost content.
    if (this.#kind.id === 'folder') this.published = Object.fromEntries(this.served());
  }

  /** Interrupts the next deploy. */
  cut(at: NonNullable<Night['cut']>): AbortSignal {
    const controller = new AbortController();
    if (this.#kind.id === 'folder') {
      this.#steps = at.request;
      this.#abort = controller;
    } else {
      this.#world.host.cut({ ...at, onCut: () => at.isKilled && controller.abort() });
    }
    return controller.signal;
  }

  async uncut(): Promise<void> {
    this.#world.host.cut(undefined);
    this.#abort = undefined;
    await this.#world.host.idle();
  }

  #steps = 0;
  #abort: AbortController | undefined;
  #step(): void {
    if (--this.#steps === 0) this.#abort?.abort();
  }

  /** The served files are exactly one of the sites. */
  isServed(site: Site, served: ReadonlyMap<string, string> = this.served()): boolean {
    return JSON.stringify([...served]) === JSON.stringify([...servedOf(site)]);
  }

  expectServed(site: Site, why: string): void {
    expect(Object.fromEntries(this.served()), why).toEqual(Object.fromEntries(servedOf(site)));
  }

  /** After a failed deploy. */
  expectUnbroken(isAtomic: boolean, why: string): void {
    const former = this.published ?? {};
    if (isAtomic) {
      const switched = this.tried.find((site) => this.isServed(site));
      if (switched) this.published = switched;
      else this.expectServed(former, why);
      return;
    }
    const served = this.served();
    const possible = [former, ...this.tried];
    for (const [name, text] of served) {
      expect(
        possible.map((site) => site[name]),
        `${why}: ${name}`,
      ).toContain(text);
    }
    expectPictures(served, why);
    const stay = Object.keys(former).filter((name) => this.tried.every((site) => name in site));
    for (const name of servedOf(Object.fromEntries(stay.map((one) => [one, ''] as const))).keys()) {
      expect([...served.keys()], `${why}: gone`).toContain(name);
    }
  }
}
