import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { releases, rollback } from '../../src/deploy/deploy.ts';
import { AppError } from '../../src/errors.ts';
import { temporaryFolder } from '../support/build.ts';
import { type Site, servedOf, textsOf, writeChanges } from '../support/hosts/change-set.ts';
import { deployFolder, type QuickClock, quickClock } from '../support/hosts/deploys.ts';
import type { HostServer } from '../support/hosts/host.ts';
import { HOST_KINDS, type HostKind, hostOf, secretOf } from '../support/hosts/kinds.ts';

/** More in `DEPLOY_RUNS`, and others in `DEPLOY_SEED`, for a longer proof. */
const RUNS = Number(process.env.DEPLOY_RUNS ?? 30);
const SEED = Number(process.env.DEPLOY_SEED ?? 1);

/** A night's site without what differs in every night. */
const page = fc.record({ text: fc.constantFrom<string>('a', 'b'), picture: fc.nat({ max: 4 }) });
const content = fc.record({
  pages: fc.dictionary(fc.constantFrom('one', 'two', 'two/7', 'three'), page, { maxKeys: 4 }),
  headers: fc.constantFrom<string>('/*\n  X-Night: one\n', '/*\n  X-Night: two\n'),
  // Somebody's own: empty, as another file, and with an ending of which types are made.
  own: fc.dictionary(fc.constantFrom('own/a.txt', 'own/b.css'), fc.constantFrom('', 'same')),
});
type Content = typeof content extends fc.Arbitrary<infer C> ? C : never;

const pictureOf = (number: number) => `media/ab/${String(number).repeat(18)}-320-abcdef.webp`;

function siteOf({ pages, headers, own }: Content, night: number): Site {
  const shown = Object.values(pages).map(({ picture }) => pictureOf(picture));
  return {
    ...own,
    ...Object.fromEntries(shown.map((picture) => [picture, `bytes of ${picture}`])),
    ...Object.fromEntries(
      Object.entries(pages).map(([name, { text, picture }]) => [
        `${name}/index.html`,
        `<html>${text} <img src="${pictureOf(picture)}">`,
      ]),
    ),
    'index.html': `<html>${Object.keys(pages).sort().join(', ')}`,
    '404.html': '<html>not here',
    _headers: headers,
    'api/records/times.json': `{"night":${night}}`,
  };
}

const cut = fc.record({
  request: fc.integer({ min: 1, max: 16 }),
  carriesOut: fc.boolean(),
  /** By a signal; else the network is gone. */
  isKilled: fc.boolean(),
  triesAgain: fc.boolean(),
});
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('night' as const),
      content,
      isWhole: fc.nat({ max: 4 }).map((one) => one === 0),
      cut: fc.option(cut),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('forget' as const),
      pictures: fc.option(fc.subarray([0, 1, 2, 3, 4])),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('two' as const), content, other: content }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'back' as const }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Night = Extract<Step, { kind: 'night' }>;

/** What may stop one of two deploys at once. */
const OF_TWO = ['deploy-older', 'deploy-under-way', 'deploy-overtaken', 'deploy-content-lost'];

/** What became of the runs: neither all of one kind. */
interface Outcomes {
  done: number;
  cutBefore: number;
  cutAfter: number;
  fetched: number;
  back: number;
  two: number;
}

class World {
  readonly #kind: HostKind;
  readonly #server: HostServer;
  readonly #clock: QuickClock;
  readonly #folder: string;
  readonly #outcomes: Outcomes;
  /** All sites that were made, in order. */
  readonly #made: Site[] = [];

  constructor(
    kind: HostKind,
    given: { server: HostServer; clock: QuickClock; folder: string; outcomes: Outcomes },
  ) {
    this.#kind = kind;
    this.#server = given.server;
    this.#clock = given.clock;
    this.#folder = given.folder;
    this.#outcomes = given.outcomes;
  }

  async run(step: Step): Promise<void> {
    this.#clock.time += 60_000;
    if (step.kind === 'night') await this.#night(step);
    if (step.kind === 'forget') this.#server.forget(step.pictures?.map(pictureOf));
    if (step.kind === 'two') await this.#two(step.content, step.other);
    if (step.kind === 'back') await this.#back();
  }

  /** A whole deploy after all that was brings exactly its site. */
  async end(): Promise<void> {
    await this.#night({ kind: 'night', content: LAST, isWhole: true, cut: null });
  }

  get #served(): ReadonlyMap<string, string> {
    return textsOf(this.#server.served());
  }

  #is(site: Site, served = this.#served): boolean {
    return JSON.stringify([...served]) === JSON.stringify([...servedOf(site)]);
  }

  /** Which of the sites is served, where it is one of them, whole. */
  #siteNow(): Site | undefined {
    return this.#made.find((site) => this.#is(site));
  }

  /** What a build on an empty disk believes to be published: that of which the times are there. */
  #believed(): Site | undefined {
    const times = this.#served.get(TIMES);
    return times === undefined ? undefined : this.#made.find((site) => site[TIMES] === times);
  }

  #make(given: Content): Site {
    const site = siteOf(given, this.#made.length);
    this.#made.push(site);
    return site;
  }

  async #write(site: Site, isWhole: boolean): Promise<string> {
    const folder = path.join(this.#folder, `${this.#made.length}-${this.#clock.time}`);
    const built = new Date(this.#clock.time).toISOString();
    const former = isWhole ? {} : this.#believed();
    this.#clock.time += 1000;
    await writeChanges(folder, site, { url: this.#server.siteUrl, built, former });
    return folder;
  }

  async #deploy(folder: string, site: Site, more: { signal?: AbortSignal; look?: boolean } = {}) {
    const loaded = await hostOf(this.#kind, this.#server);
    const before = this.#siteNow();
    const { report } = await deployFolder(folder, {
      ...loaded,
      clock: this.#clock,
      secret: secretOf(this.#server),
      ...more,
      onEvent: () => {
        // At every moment the one whole site or the other.
        if (!loaded.host.atomic || more.look === false) return;
        const served = this.#served;
        const isBefore = before ? this.#is(before, served) : served.size === 0;
        expect(isBefore || this.#is(site, served)).toBe(true);
      },
    });
    expect(this.#served).toEqual(servedOf(site));
    expect(report.live).toBe(more.look === false ? 'not-looked-at' : 'as-sent');
    this.#outcomes.done++;
    if (report.fetched?.files) this.#outcomes.fetched++;
  }

  async #night({ content: given, isWhole, cut: at }: Night): Promise<void> {
    const site = this.#make(given);
    const folder = await this.#write(site, isWhole);
    if (!at) return this.#withAllThere(folder, site);
    const before = this.#siteNow();
    const killed = new AbortController();
    let isCut = false;
    const onCut = () => {
      isCut = true;
      if (at.isKilled) killed.abort();
    };
    this.#server.cut({ request: at.request, carriesOut: at.carriesOut, onCut });
    const error = await this.#deploy(folder, site, { signal: killed.signal }).catch(
      (reason: unknown) => reason,
    );
    await this.#server.idle();
    this.#server.cut(undefined);
    // What the host still does by itself.
    this.#clock.time += 10 * 60_000;
    if (!isCut || error === undefined) return expect(error).toBeUndefined();
    await this.#checkCut(before, site, error);
    if (at.triesAgain) await this.#withAllThere(folder, site);
  }

  async #checkCut(before: Site | undefined, site: Site, error: unknown): Promise<void> {
    const { host } = await hostOf(this.#kind, this.#server);
    expect((error as Error).name, String(error)).toMatch(/AbortError|UnreachableError/);
    const served = this.#served;
    if (host.atomic) {
      const isNew = this.#is(site, served);
      const isOld = before ? this.#is(before, served) : served.size === 0;
      expect(isNew || isOld).toBe(true);
      this.#outcomes[isNew ? 'cutAfter' : 'cutBefore']++;
      return;
    }
    this.#outcomes[this.#is(site, served) ? 'cutAfter' : 'cutBefore']++;
    for (const [name, text] of served) {
      expect(this.#made.some((one) => one[name] === text)).toBe(true);
      for (const [, picture = ''] of text.matchAll(/src="([^"]+)"/g)) {
        expect(served.has(picture), `${picture} of ${name}`).toBe(true);
      }
    }
  }

  /** A deploy that nothing stops; where nobody has some content any more, it is made again. */
  async #withAllThere(folder: string, site: Site): Promise<void> {
    const { host } = await hostOf(this.#kind, this.#server);
    const before = this.#served;
    try {
      await this.#deploy(folder, site);
    } catch (error) {
      // One that switches at once has all that a build believed to be there.
      if (host.atomic || !(error instanceof AppError) || error.code !== 'deploy-content-lost') {
        throw error;
      }
      expect(this.#served).toEqual(before);
      await this.#deploy(await this.#write(site, true), site);
    }
  }

  async #two(one: Content, other: Content): Promise<void> {
    const sites = [this.#make(one), this.#make(other)];
    const folders: string[] = [];
    for (const site of sites) folders.push(await this.#write(site, false));
    const { host, words } = await hostOf(this.#kind, this.#server);
    const before = this.#siteNow();
    const results = await Promise.allSettled(
      folders.map((folder) =>
        deployFolder(folder, {
          host,
          words,
          clock: this.#clock,
          secret: secretOf(this.#server),
          look: false,
        }),
      ),
    );
    for (const result of results) {
      if (result.status === 'fulfilled') continue;
      expect(OF_TWO, String(result.reason)).toContain(result.reason.code);
    }
    const done = sites.filter((_site, at) => results[at]?.status === 'fulfilled');
    if (host.atomic) {
      const now = this.#siteNow();
      expect(done.length > 0 ? done : [before]).toContain(now);
    }
    this.#outcomes.two++;
    this.#clock.time += 10 * 60_000;
    await this.#night({ kind: 'night', content: other, isWhole: false, cut: null });
  }

  async #back(): Promise<void> {
    const loaded = await hostOf(this.#kind, this.#server);
    const before = this.#served;
    const options = {
      ...loaded,
      takeOver: false,
      signal: new AbortController().signal,
      clock: this.#clock,
      onEvent: () => {},
    };
    try {
      const shown = await rollback(undefined, options);
      expect(loaded.host.atomic).toBe(true);
      // One of ours, whole, and the host says that it is live.
      expect(this.#siteNow()).toBeDefined();
      expect(this.#served).not.toEqual(before);
      const live = (await releases(options)).filter(({ isLive }) => isLive);
      expect(live.map(({ id }) => id)).toEqual([shown.id]);
      this.#outcomes.back++;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'deploy-no-release') throw error;
      expect(this.#served).toEqual(before);
    }
  }
}

const TIMES = 'api/records/times.json';
const LAST: Content = {
  pages: { one: { text: 'z', picture: 0 } },
  headers: '/*\n  X-Night: last\n',
  own: {},
};

describe.each(HOST_KINDS)('deploys to $id', (kind) => {
  it(
    `bring exactly the site, whatever was cut, forgotten or at once, in ${RUNS} random weeks`,
    async () => {
      await using folder = await temporaryFolder();
      const outcomes: Outcomes = {
        done: 0,
        cutBefore: 0,
        cutAfter: 0,
        fetched: 0,
        back: 0,
        two: 0,
      };
      let number = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 7 }), async (steps) => {
          const clock = quickClock();
          await using server = await kind.start(clock.now);
          const place = path.join(folder.path, String(++number));
          const world = new World(kind, { server, clock, folder: place, outcomes });
          for (const one of steps) await world.run(one);
          await world.end();
        }),
        { numRuns: RUNS, seed: SEED },
      );
      // All of it happened.
      const { back, fetched, ...always } = outcomes;
      for (const [name, times] of Object.entries(always)) expect(times, name).toBeGreaterThan(0);
      if (kind.id !== 's3') expect([back > 0, fetched > 0]).toEqual([true, true]);
    },
    600_000 + RUNS * 1000,
  );
});
