import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { releases, rollback } from '../../src/deploy/deploy.ts';
import { LostContent } from '../../src/deploy/host-api/lost-content.ts';
import { AppError } from '../../src/errors.ts';
import type { Clock } from '../../src/lib/http/http.ts';
import { temporaryFolder } from '../support/build.ts';
import { type Site, servedOf, textsOf } from '../support/hosts/change-set.ts';
import { deployFolder } from '../support/hosts/deploys.ts';
import { FOLDER_KIND } from '../support/hosts/folder.ts';
import type { HostServer } from '../support/hosts/host.ts';
import { HOST_KINDS, type HostKind, hostOf, secretOf } from '../support/hosts/kinds.ts';
import {
  type BuildOptions,
  buildLiteral,
  type Car,
  type Stock,
} from '../support/hosts/literal-nights.ts';
import type { S3Host } from '../support/s3-host.ts';

/** What changes in a stock, by numbers that any stock can take. */
type Change =
  | { kind: 'price' | 'sell' | 'restore'; dealer: number; car: number; price: number }
  | { kind: 'buy'; dealer: number; car: number; price: number; pictures: number[] }
  | { kind: 'open' | 'close'; dealer: number };

interface Night {
  changes: Change[];
  /** The whole site is built. */
  whole: boolean;
  /** A file of somebody's own, in this night. */
  own: number | undefined;
  /** What the host forgets before the deploy: every so-manieth of its files; all with 1. */
  forget: number | undefined;
  /** Its network is gone from there on; or it is killed itself. */
  cut: { request: number; carriesOut: boolean; isKilled: boolean } | undefined;
  /** Somebody goes back to the former site before it. */
  isBack: boolean;
  /** What a second deploy has changed besides, at the same time. */
  second: Change[] | undefined;
  /** After a cut the same change set comes again; or it is built anew, or from the stock as it was before. */
  after: 'again' | 'anew' | 'back';
}

const dealer = fc.integer({ min: 1, max: 3 });
const car = fc.integer({ min: 1, max: 4 });
const price = fc.integer({ min: 1, max: 3 });
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constantFrom('price', 'sell'), dealer, car, price }),
  fc.record({
    kind: fc.constant('buy'),
    dealer,
    car,
    price,
    pictures: fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constantFrom('open', 'close'), dealer }),
) as fc.Arbitrary<Change>;
const changes = fc.array(change, { maxLength: 4 });
const rarely = <T>(one: fc.Arbitrary<T>, weight: number) =>
  fc.oneof({ weight: 10 - weight, arbitrary: fc.constant(undefined) }, { weight, arbitrary: one });

const night: fc.Arbitrary<Night> = fc.record({
  changes,
  whole: fc.oneof(
    { weight: 4, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  own: rarely(fc.integer({ min: 1, max: 2 }), 3),
  forget: rarely(fc.integer({ min: 1, max: 4 }), 3),
  cut: rarely(
    fc.record({
      request: fc.integer({ min: 1, max: 30 }),
      carriesOut: fc.boolean(),
      isKilled: fc.boolean(),
    }),
    5,
  ),
  isBack: fc.nat({ max: 3 }).map((one) => one === 0),
  second: rarely(changes, 2),
  after: fc.constantFrom('again', 'anew', 'back'),
});

function changed(stock: Stock, all: readonly Change[]): Stock {
  const next = new Map([...stock].map(([id, cars]) => [id, [...cars]]));
  for (const one of all) {
    const cars = next.get(one.dealer);
    if (one.kind === 'open') next.set(one.dealer, cars ?? []);
    else if (one.kind === 'close') {
      // Somebody is always there: a site of nobody is none.
      if (next.size > 1) next.delete(one.dealer);
    } else if (cars && 'car' in one) {
      const others = cars.filter(({ id }) => id !== one.car);
      const former = cars.find(({ id }) => id === one.car);
      const now: Car | undefined =
        one.kind === 'buy'
          ? { id: one.car, price: one.price, pictures: one.pictures }
          : one.kind === 'price' && former
            ? { ...former, price: one.price }
            : undefined;
      next.set(one.dealer, now ? [...others, now].sort((a, b) => a.id - b.id) : others);
    }
  }
  return next;
}

/** Time that passes as it is slept; or as it does, only faster, so that two deploys share it. */
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

/** A host, its site, and what has been tried there. */
class World {
  readonly clock: NightClock;
  readonly #kind: HostKind;
  readonly #folder: string;
  readonly #server: HostServer;
  /** What is served before the next switch. */
  published: Site | undefined;
  /** Sites that may be there in part, since the last deploy that succeeded. */
  tried: Site[] = [];
  /** All sites that were built. */
  readonly #built: Site[] = [];

  constructor(kind: HostKind, server: HostServer, folder: string) {
    this.#kind = kind;
    // A deploy to a bucket is dead after 90 s of silence: not on a machine that is only busy.
    this.clock = new NightClock(kind.id === 's3' ? 20 : 300);
    this.#server = server;
    this.#folder = folder;
    if (kind.id === 's3') {
      (server as S3Host).objects.set(`/cars/${THEIRS}`, { body: Buffer.from('theirs') });
    }
  }

  served(): Map<string, string> {
    const served = textsOf(this.#server.served());
    if (this.#kind.id === 's3') {
      expect(served.get(THEIRS), 'a file of somebody else').toBe('theirs');
      served.delete(THEIRS);
    }
    return served;
  }

  async build(
    name: string,
    stock: Stock,
    more: Pick<BuildOptions, 'built' | 'own'> & Partial<BuildOptions>,
  ): Promise<Site> {
    const live = this.#server.served();
    const site = await buildLiteral(path.join(this.#folder, name), stock, {
      url: this.#server.siteUrl,
      live,
      ...more,
    });
    this.#built.push(site);
    return site;
  }

  async deploy(name: string, signal?: AbortSignal): Promise<AppError | undefined> {
    const loaded = await hostOf(this.#kind, this.#server);
    try {
      await deployFolder(path.join(this.#folder, name), {
        ...loaded,
        clock: this.clock,
        secret: secretOf(this.#server) || 'no secret at all',
        ...(signal && { signal }),
        onEvent: () => {
          if (signal) this.#step();
          if (loaded.host.atomic) this.#expectOneSite();
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
    // Looked at once: a host may switch while it is compared.
    const served = this.served();
    const sites = [this.published ?? {}, ...this.tried];
    expect(
      sites.some((site) => this.isServed(site, served)),
      'a site, whole',
    ).toBe(true);
  }

  /** Goes back to the former site, where the host has it. */
  async back(why: string): Promise<void> {
    const options = {
      ...(await hostOf(this.#kind, this.#server)),
      clock: this.clock,
      signal: new AbortController().signal,
      takeOver: false,
      onEvent: () => {},
    };
    const before = this.served();
    try {
      const { id } = await rollback(undefined, options);
      this.published = this.#built.find((site) => this.isServed(site));
      expect(this.published, `${why}: a whole site again`).toBeDefined();
      const live = (await releases(options)).filter(({ isLive }) => isLive);
      expect(live.map((release) => release.id)).toEqual([id]);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'deploy-no-release') throw error;
      expect(this.served()).toEqual(before);
    }
  }

  forget(every: number): void {
    // Of a bucket nobody would learn that something is gone: it is not asked for what is unchanged.
    if (this.#kind.id === 's3') return;
    const files = [...this.#server.served().keys()].filter((_, index) => index % every === 0);
    this.#server.forget(files);
    // Other hosts still serve what they forgot.
    if (this.#kind.id === 'folder') this.published = Object.fromEntries(this.served());
  }

  /** Cuts the next deploy off. */
  cut(at: NonNullable<Night['cut']>): AbortSignal {
    const controller = new AbortController();
    if (this.#kind.id === 'folder') {
      this.#steps = at.request;
      this.#abort = controller;
    } else {
      this.#server.cut({ ...at, onCut: () => at.isKilled && controller.abort() });
    }
    return controller.signal;
  }

  async uncut(): Promise<void> {
    this.#server.cut(undefined);
    this.#abort = undefined;
    await this.#server.idle();
  }

  #steps = 0;
  #abort: AbortController | undefined;
  #step(): void {
    if (--this.#steps === 0) this.#abort?.abort();
  }

  /** What is served is exactly a site. */
  isServed(site: Site, served: ReadonlyMap<string, string> = this.served()): boolean {
    return JSON.stringify([...served]) === JSON.stringify([...servedOf(site)]);
  }

  expectServed(site: Site, why: string): void {
    expect(Object.fromEntries(this.served()), why).toEqual(Object.fromEntries(servedOf(site)));
  }

  /** After a deploy that did not succeed. */
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
      for (const [, picture = ''] of text.matchAll(/src="(media\/[^"]+)"/g)) {
        expect([...served.keys()], `${why}: a picture of ${name}`).toContain(picture);
      }
    }
    const stay = Object.keys(former).filter((name) => this.tried.every((site) => name in site));
    for (const name of servedOf(Object.fromEntries(stay.map((one) => [one, ''] as const))).keys()) {
      expect([...served.keys()], `${why}: gone`).toContain(name);
    }
  }
}

const CODES =
  /^(?:[a-z0-9]+-unreachable|deploy-(?:content-lost|under-way|overtaken|older)|command-interrupted|live-differs|netlify-failed)$/;

async function liveThrough(kind: HostKind, nights: readonly Night[]): Promise<void> {
  await using folder = await temporaryFolder();
  await using _server = await startWith(kind, folder.path);
  const { world, isAtomic } = _server;
  let stock: Stock = new Map([[1, [{ id: 1, price: 1, pictures: [1, 2] }]]]);
  for (const [index, one] of nights.entries()) {
    const why = `night ${index + 1}`;
    const before = stock;
    // What somebody has removed from a folder is gone from its releases, too; a bucket has none.
    if (one.isBack && isAtomic && kind.id !== 'folder') await world.back(why);
    stock = changed(stock, one.changes);
    const own: Site = one.own === undefined ? {} : { [`own/${one.own}.txt`]: `mine ${one.own}` };
    const built = world.clock.nextDay();
    const { whole } = one;
    const site = await world.build('night', stock, { built, own, whole });
    world.tried = [site];
    if (one.forget !== undefined && world.published) world.forget(one.forget);
    let failed: AppError | undefined;
    if (one.second) {
      const later = new Date(Date.parse(built) + 1000).toISOString();
      stock = changed(stock, one.second);
      const other = await world.build('second', stock, { built: later, own });
      world.tried.push(other);
      const ends = await world.clock.shared(() =>
        Promise.all([world.deploy('night'), world.deploy('second')]),
      );
      for (const end of ends) if (end) expect(end.code, `${why}: ${end.message}`).toMatch(CODES);
      const good = world.tried.filter((_, place) => !ends[place]);
      if (good.length > 0 && isAtomic) {
        expect(
          good.some((site) => world.isServed(site)),
          `${why}: one of two at once`,
        ).toBe(true);
      }
      world.expectUnbroken(isAtomic, `${why}, two at once`);
      failed = ends[1];
      if (!failed && world.isServed(other)) world.published = other;
    } else {
      const signal = one.cut && world.cut(one.cut);
      failed = await world.deploy('night', signal);
      await world.uncut();
      if (failed) {
        expect(failed.code, `${why}: ${failed.message}`).toMatch(CODES);
        world.expectUnbroken(isAtomic, `${why}, cut off`);
      } else {
        world.expectServed(site, why);
        world.published = site;
        continue;
      }
    }
    // Whatever happened, the next deploy ends it.
    if (one.after === 'back') stock = before;
    let last = site;
    for (let tries = 1, lost: readonly string[] = []; ; tries++) {
      const asBefore =
        one.after === 'again' && tries === 1 && !one.second && !(failed instanceof LostContent);
      if (failed instanceof LostContent) lost = [...lost, ...failed.files.map((file) => file.path)];
      if (!asBefore) {
        const now = world.clock.nextDay();
        last = await world.build('night', stock, { built: now, own, lost });
        world.tried.push(last);
      }
      failed = await world.deploy('night');
      if (!failed) break;
      expect(failed.code, `${why}, once more: ${failed.message} ${failed.why}`).toBe(
        'deploy-content-lost',
      );
      world.expectUnbroken(isAtomic, `${why}, lost`);
      expect(tries, why).toBeLessThan(4);
    }
    world.expectServed(last, `${why}, in the end`);
    world.published = last;
  }
}

async function startWith(kind: HostKind, folder: string) {
  let now: () => number = Date.now;
  const server = await kind.start(() => now());
  const world = new World(kind, server, folder);
  now = () => world.clock.now();
  return {
    world,
    isAtomic: kind.id !== 's3',
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** The same nights each time; so many others in `DEPLOY_RUNS`, for a longer proof. */
const more = Number(process.env.DEPLOY_RUNS ?? 0);
const RUNS = more > 0 ? { numRuns: more } : { numRuns: 25, seed: 16 };

describe('whatever happens in a few nights', () => {
  it.each([...HOST_KINDS, FOLDER_KIND])(
    '$id: what is served is a site, and the new one where a deploy says so',
    async (kind) => {
      await fc.assert(
        fc.asyncProperty(fc.array(night, { minLength: 1, maxLength: 4 }), (nights) =>
          liveThrough(kind, nights),
        ),
        RUNS,
      );
    },
    600_000,
  );
});
