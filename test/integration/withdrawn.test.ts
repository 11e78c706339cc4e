import { describe, expect, it } from 'vitest';
import { recordingConsole } from '../support/build.ts';
import { dealerOne, down } from '../support/disks.ts';
import { sharedFirstNight } from '../support/later-night.ts';

const first = await sharedFirstNight();

describe('a withdrawn vehicle', () => {
  it.each([
    ['responds', false],
    ['is down', true],
  ])(
    'keeps a page for the configured time, then loses it, if the service %s',
    async (_, isDown) => {
      await using world = await first.later();
      const page = 'dealer-1/ab10xyz/index.html';
      dealerOne(world).vehicles.splice(0, 1);
      await world.live(24);
      const withdrawn = (await world.files()).get(page) ?? '';
      expect(withdrawn).toContain('no longer available');
      expect(withdrawn).toContain('noindex');
      expect(withdrawn).toContain('href="/dealer-1/"');
      for (const file of ['sitemap.xml', 'dealer-1/index.html', 'index.html']) {
        expect((await world.files()).get(file)).not.toContain('/dealer-1/ab10xyz/');
      }
      // For good: with a response, and without one.
      for (const [night, there] of [
        [13, true],
        [14, false],
        [15, false],
        [16, false],
      ] as const) {
        if (isDown) down(world);
        if (night === 16) world.service.faults.clear();
        await world.live(24 + night * 24);
        expect((await world.files()).has(page), `night ${night}`).toBe(there);
      }
    },
  );

  it('is reported as withdrawn, also if builds published nothing for weeks', async () => {
    await using world = await first.later();
    const page = 'dealer-1/ab10xyz/index.html';
    dealerOne(world).vehicles.splice(0, 1);
    const stop = new AbortController();
    // The response is accepted, then the build ends.
    const console = { ...recordingConsole(), line: () => stop.abort() };
    const stopped = await world.live(24, { console, signal: stop.signal });
    expect(stopped.report.outcome).toBe('not-published');
    await world.live(24 + 20 * 24);
    expect((await world.files()).get(page)).toContain('no longer available');
    await world.live(24 + 33 * 24);
    expect((await world.files()).has(page)).toBe(true);
    await world.live(24 + 35 * 24);
    expect((await world.files()).has(page)).toBe(false);
  });

  it('keeps its page for the usual time after one build with a clock far ahead', async () => {
    await using world = await first.later();
    dealerOne(world).vehicles.splice(0, 1);
    await world.live(10 * 365 * 24);
    down(world);
    const { report } = await world.live(24);
    expect(report.dealers[0]?.notes.join('\n')).toMatch(
      /is dated 2036-[^\n]*in the future.*the time of withdrawn vehicles, count from this build/,
    );
    const second = await world.live(25);
    expect(second.report.dealers[0]?.notes.join('\n')).not.toContain('in the future');
    await world.live(24 + 13 * 24);
    expect((await world.files()).has('dealer-1/ab10xyz/index.html')).toBe(true);
    await world.live(24 + 15 * 24);
    expect((await world.files()).has('dealer-1/ab10xyz/index.html')).toBe(false);
  });
});
