import { readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PUBLISHED_TIMES } from '../../src/record/published-records.ts';
import { dealerOne, openFirstNight } from '../support/disks.ts';
import { forAllTests } from '../support/for-all-tests.ts';

const first = await forAllTests(openFirstNight());

const PAGE = 'dealer-1/ab10xyz/index.html';
const HUNDRED_DAYS = 100 * 24;

describe('after one build with a clock far ahead', () => {
  it.each([
    ['the service answers', false],
    ['the service does not answer', true],
  ])('a withdrawn vehicle keeps its page for the usual time, if %s', async (_, isDown) => {
    await using world = await first.later();
    dealerOne(world).vehicles.splice(0, 1);
    await world.live(HUNDRED_DAYS);
    if (isDown) world.service.faults.set({ route: 'media', dealerId: 7001, status: 503 });
    const { report } = await world.live(24);
    expect(report.dealers[0]?.notes.join('\n')).toContain('dated in the future');
    const second = await world.live(25);
    expect(second.report.dealers[0]?.notes.join('\n')).not.toContain('in the future');
    await world.live(24 + 13 * 24);
    expect((await world.files()).has(PAGE)).toBe(true);
    await world.live(24 + 15 * 24);
    expect((await world.files()).has(PAGE)).toBe(false);
  });

  it('a damaged page is still found, and made again', async () => {
    await using world = await first.later();
    const site = world.published;
    await world.live(1);
    const future = new Date(Date.now() + HUNDRED_DAYS * 3_600_000);
    await utimes(path.join(site, PUBLISHED_TIMES), future, future);
    const page = path.join(site, PAGE);
    const text = await readFile(page, 'utf8');
    await writeFile(page, text.replaceAll('<p', '<b'));
    await world.live(24);
    expect(await readFile(page, 'utf8')).toBe(text);
  });
});
