import { expect, it } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { liveFirstDay, worse } from '../support/first-day.ts';

it('lives a first day and a second night in fresh clones of a project', async () => {
  const browser = await launchBrowser();
  try {
    await using day = await liveFirstDay(browser, { packages: 'linked' });
    expect(Object.keys(day.seconds)).toContain('in the browser');
    const night = await day.night('handed on');
    expect(worse(night, [])).toEqual([]);
    expect(night.pictures).toBe(0);
  } finally {
    await browser.close();
  }
}, 240_000);
