import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AppError } from '../../src/errors.ts';
import type { Site } from '../support/hosts/change-set.ts';
import { ALL_KINDS, type HostKind } from '../support/hosts/kinds.ts';
import type { Stock } from '../support/hosts/literal-nights.ts';
import { NightsWorld } from '../support/hosts/nights-world.ts';
import { type Night, night } from '../support/hosts/random-nights.ts';

const CODES =
  /^(?:[a-z0-9]+-unreachable|deploy-(?:content-lost|under-way|overtaken|older)|command-interrupted|live-differs|netlify-failed)$/;

async function liveThrough(kind: HostKind, nights: readonly Night[]): Promise<void> {
  await using world = await NightsWorld.start(kind);
  const { isAtomic } = kind;
  let stock: Stock = new Map([[1, [{ id: 1, price: 1, pictures: 2 }]]]);
  for (const [index, one] of nights.entries()) {
    const why = `night ${index + 1}`;
    const before = stock;
    // A file deleted from a folder is also deleted from its releases. A bucket has no releases.
    if (one.isBack && isAtomic && kind.id !== 'folder') await world.back(why);
    stock = one.stock ?? stock;
    const added: Site =
      one.added === undefined ? {} : { [`own/${one.added}.txt`]: `mine ${one.added}` };
    const built = world.clock.nextDay();
    const { isFull } = one;
    const site = await world.build('night', stock, { built, added, isFull });
    world.tried = [site];
    if (one.forget !== undefined && world.published) world.forget(one.forget);
    let failed: AppError | undefined;
    if (one.second) {
      const later = new Date(Date.parse(built) + 1000).toISOString();
      stock = one.second;
      const other = await world.build('second', stock, { built: later, added });
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
    // In any case, the next deploy completes it.
    if (one.after === 'back') stock = before;
    let last = site;
    for (let tries = 1; ; tries++) {
      const isFull = failed?.code === 'deploy-content-lost';
      const asBefore = one.after === 'again' && tries === 1 && !one.second && !isFull;
      if (!asBefore) {
        const now = world.clock.nextDay();
        last = await world.build('night', stock, { built: now, added, isFull });
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

/** The same nights each time. `DEPLOY_RUNS` adds random nights for a longer proof. */
const more = Number(process.env.DEPLOY_RUNS ?? 0);
const RUNS = more > 0 ? { numRuns: more } : { numRuns: 25, seed: 16 };

it.each(ALL_KINDS)(
  'random faults over a few nights on $id: the host always serves a complete site, and the new one after a successful deploy',
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
