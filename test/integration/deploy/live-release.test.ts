import { describe, expect, it } from 'vitest';
import { writeTimes } from '../../../src/record/times.ts';
import type { Site } from '../../support/hosts/change-set.ts';
import { ALL_KINDS, type HostKind } from '../../support/hosts/kinds.ts';
import { type NightOptions, startWorld as startHost } from '../../support/hosts/world.ts';

const NOW = '2026-03-02T02:00:00.000Z';
const MINUTE = 60_000;
const YEAR = 365 * 86_400_000;

const at = (offset: number): string => new Date(Date.parse(NOW) + offset).toISOString();

/** @param first when the first build ran, if no build has read a published site since. */
const siteOf = (name: string, first?: string): Site => ({
  'index.html': `<p>${name}`,
  'one/index.html': '<p>one',
  'api/records/times.json': writeTimes(new Map(), { first, searched: name }),
});

interface Deploy extends Pick<NightOptions, 'takeOver' | 'form' | 'url'> {
  site: Site;
  /** When the site was built. The clock of the deploy, unless `now` is another. */
  built: string;
  now?: string;
}

async function startWorld(kind: HostKind) {
  const world = await startHost(kind);
  return {
    ...world,
    deploy: ({ site, now, ...night }: Deploy) => {
      world.clock.time = Date.parse(now ?? night.built);
      return world.night(site, { ...night, verify: false });
    },
  };
}

describe.each(ALL_KINDS)('a live release on $id', (kind) => {
  it.each([
    ['an hour', 60 * MINUTE],
    ['four years', 4 * YEAR],
  ])('dated %s ahead blocks no deploy and is reported once', async (_, ahead) => {
    await using world = await startWorld(kind);
    await world.deploy({ site: siteOf('wrong clock'), built: at(ahead) });
    const second = await world.deploy({ site: siteOf('second'), built: NOW });
    world.expectServed(siteOf('second'));
    const reported = second.messages.filter((text) => text.includes('in the future'));
    expect(reported).toEqual([expect.stringContaining(at(ahead))]);
    const third = await world.deploy({ site: siteOf('third'), built: at(MINUTE) });
    expect(third.messages.join('\n')).not.toContain('in the future');
    world.expectServed(siteOf('third'));
  });

  it('that is newer is not replaced, also with slightly different clocks', async () => {
    await using world = await startWorld(kind);
    await world.deploy({ site: siteOf('newer'), built: at(2 * MINUTE) });
    const sent = world.host.bytes.up;
    const older = { site: siteOf('older'), built: at(-60 * MINUTE) };
    const refused = { code: 'deploy-older', exitCode: 5 };
    await expect(world.deploy({ ...older, now: NOW })).rejects.toMatchObject(refused);
    await expect(world.deploy({ ...older, now: at(YEAR) })).rejects.toMatchObject(refused);
    expect(world.host.bytes.up).toBe(sent);
    world.expectServed(siteOf('newer'));
    await world.deploy({ ...older, now: at(YEAR), takeOver: true });
    world.expectServed(siteOf('older'));
  });

  it.each([
    ['a change set', at(MINUTE), 'thin', at(0)],
    ['a whole site', at(MINUTE), 'whole', at(0)],
    ['a change set, over a site that is dated in the future', at(MINUTE), 'thin', at(YEAR)],
  ] as const)('is not replaced by %s built without it', async (_, first, form, live) => {
    await using world = await startWorld(kind);
    await world.deploy({ site: siteOf('live'), built: live });
    const overlooking = { site: siteOf('first', first), built: first, form };
    for (const takeOver of [false, true]) {
      await expect(world.deploy({ ...overlooking, takeOver })).rejects.toMatchObject({
        code: 'deploy-first',
        exitCode: 5,
        fix: expect.stringContaining('--first'),
      });
    }
    world.expectServed(siteOf('live'));
    // Built with --first. Times without dealers are of 1970.
    const takeOver = form === 'whole';
    await world.deploy({ ...overlooking, takeOver, site: siteOf('first') });
    world.expectServed(siteOf('first'));
  });

  it('of another site is not replaced, but a site may get another URL or dealer', async () => {
    await using world = await startWorld(kind);
    const of = (name: string, ...ids: number[]): Site => ({
      ...siteOf(name),
      ...Object.fromEntries(ids.map((id) => [`api/records/${id}.json`, `{"id":${id}}`])),
      'robots.txt': name,
    });
    const [north, south] = ['https://north.example', 'https://south.example'];
    const moved =
      'https://www.north-and-its-very-long-name-that-no-label-can-hold-completely.example';
    await world.deploy({ site: of('north', 7001, 7002), built: NOW, url: north });
    const other = { site: of('south', 7003), built: at(MINUTE), url: south };
    await expect(world.deploy(other)).rejects.toMatchObject({
      code: 'deploy-other-site',
      exitCode: 5,
      message: expect.stringMatching(/another site .*north\.example.* of https:\/\/south\.example/),
    });
    world.expectServed(of('north', 7001, 7002));
    await world.deploy({ site: of('moved', 7001), built: at(2 * MINUTE), url: moved });
    await world.deploy({ site: of('dealer', 7005), built: at(3 * MINUTE), url: moved });
    world.expectServed(of('dealer', 7005));
    await world.deploy({ ...other, built: at(4 * MINUTE), takeOver: true });
    world.expectServed(of('south', 7003));
  });

  it.each([0, YEAR])(
    'is replaced by later builds of the disk that built it, %d ms ahead',
    async (ahead) => {
      await using world = await startWorld(kind);
      const first = at(ahead);
      await world.deploy({ site: siteOf('first', first), built: first });
      await world.deploy({ site: siteOf('second', first), built: at(MINUTE) });
      world.expectServed(siteOf('second', first));
    },
  );
});
