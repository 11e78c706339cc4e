import { expect, it } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { liveFirstDay } from '../support/first-day.ts';

it('lives a first day and a second night in a fresh clone', async () => {
  const browser = await launchBrowser();
  try {
    const { seconds } = await liveFirstDay(browser, { packages: 'linked' });
    expect(Object.keys(seconds)).toContain('in the browser');
  } finally {
    await browser.close();
  }
}, 240_000);
