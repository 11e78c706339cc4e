import { expect, it } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { liveFirstDay } from '../support/first-day.ts';

it('brings a site from git clone into the browser, with npm ci --omit=dev as the README says', async () => {
  const browser = await launchBrowser();
  try {
    const { seconds } = await liveFirstDay(browser, { packages: 'npm ci' });
    const { 'the second night': night, ...first } = seconds;
    const total = Object.values(first).reduce((sum, value) => sum + value, 0);
    console.log(
      `From git clone to the site in the browser: ${total.toFixed(1)} s\n${Object.entries(first)
        .map(([step, value]) => `  ${step}: ${value} s`)
        .join('\n')}\nThe second night: ${night} s`,
    );
    // What the project promises its users.
    expect(total).toBeLessThan(15 * 60);
  } finally {
    await browser.close();
  }
});
