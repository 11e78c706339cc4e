import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { figuresOf } from '../../src/batches/report/figures.ts';
import { writeHistoryReport } from '../../src/batches/report/page.ts';
import { violations } from '../support/axe.ts';
import { fill, historyOf } from '../support/batch-fill.ts';
import { batchRecord } from '../support/batch-record.ts';
import { World } from '../support/batch-world.ts';
import { DAY, iso, tempFolder, tempStore } from '../support/batches.ts';
import { sharedBrowser } from '../support/shared.ts';

const NOW = Date.parse('2026-02-01T06:00:00Z');

/** A report of 60 days, and of senders with few batches. */
async function writtenReport() {
  const folder = tempFolder();
  const store = tempStore(folder);
  const world = new World({ start: NOW - 60 * DAY, days: 60, perDay: 5, seed: 3 });
  const sentBy = (SendingUserName: string, from: number, count: number) =>
    Array.from({ length: count }, (_, index) =>
      batchRecord({ BatchId: from + index, DateSent: '2026-01-05T10:00:00Z', SendingUserName }),
    );
  fill(
    store,
    [
      ...world.at(NOW),
      ...sentBy('<script>alert(1)</script>"\'', 1, 12),
      ...sentBy('Rare Ann', 20, 9),
      ...sentBy('Rare Bob', 40, 4),
      ...sentBy('', 60, 10),
    ],
    { at: new Date(NOW).toISOString() },
  );
  store.db.exec(`INSERT INTO hole (account_id, from_at, until_at, reason, recorded_at)
    VALUES (1, '2026-01-07T00:00:00.000Z', '2026-01-09T00:00:00.000Z', 'a reason', '2026-01-20T00:00:00.000Z')`);
  const write = () => writeHistoryReport(store, { folder: path.join(folder, 'report') });
  return { store, write, file: await write() };
}

test('the report: correct totals, reproducible bytes, no person, no script', async () => {
  const { store, write, file } = await writtenReport();
  const page = readFileSync(file, 'utf8');
  const [row] = store.db
    .prepare('SELECT count(*) AS n, sum(date_sent IS NOT NULL) AS sent FROM version')
    .all();
  const rowOf = (name: string) => page.split(`<th scope="row">${name}</th>`)[1]?.split('\n')[0];
  expect(rowOf('Created')).toContain(`</td><td>${row?.n}</td><td>100.0 %</td>`);
  const percent = (100 * Number(row?.sent)) / Number(row?.n);
  expect(rowOf('Sent')).toContain(`<rect width="${Number(percent.toFixed(2))}" height="1"/>`);
  expect(rowOf('Sent')).toMatch(
    new RegExp(`</td><td>${row?.sent}</td><td>${percent.toFixed(1)} %</td>`),
  );
  // Senders of fewer than ten batches are folded into one row.
  expect(rowOf('All others (2)')).toContain('</td><td>13</td>');
  expect(rowOf('(none)')).toContain('</td><td>10</td>');
  expect(page).not.toContain('Rare');
  // Complete weeks only: neither the current week nor the first week of the history.
  const weeks = [...page.matchAll(/<th scope="row">(\d{4}-\d\d-\d\d)<\/th>/g)].map(
    ([, day]) => day,
  );
  expect([weeks[0], weeks.at(-1), weeks.length]).toEqual(['2025-12-01', '2026-01-19', 8]);
  expect(page).toMatch(/2026-01-05.*<td>no<\/td>/);
  expect(page).toMatch(/2026-01-12.*<td>yes<\/td>/);
  expect(page).toContain('a reason');
  expect(page).not.toMatch(/customers\.example|person\d|\+44|Your video|<script|javascript:/i);
  expect(page.match(/<svg [^>]*role="img"/g)).toHaveLength(1);
  expect(page.match(/<table aria-label="/g)).toHaveLength(6);
  expect(readFileSync(await write(), 'utf8')).toBe(page);
  await expect(writeHistoryReport(tempStore(), { folder: 'r' })).rejects.toMatchObject({
    code: 'report-no-history',
  });
});

test('a browser shows the report without requests, scripts or errors, with a named chart', async () => {
  const { file } = await writtenReport();
  await using page = await (await sharedBrowser()).newPage({
    viewport: { width: 390, height: 800 },
  });
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(file).href);
  expect(complaints).toEqual([]);
  expect(requests).toEqual([pathToFileURL(file).href]);
  expect(await page.getByRole('img', { name: 'Week by week' }).isVisible()).toBe(true);
  expect(await violations(page, {})).toEqual([]);
  // The style applies (its hash is in the policy), and the page never scrolls sideways.
  const [background, overflow] = await page.evaluate<[string, number]>(
    '[getComputedStyle(document.body).backgroundColor, document.documentElement.scrollWidth - innerWidth]',
  );
  expect(background).toBe('rgb(245, 246, 248)');
  expect(overflow).toBeLessThanOrEqual(0);
  for (const width of [320, 360, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
    // Text in a chart shrinks with it. Tables and charts wider than their card scroll.
    const [smallest, outside] = await page.evaluate<[number, string[]]>(`[
      Math.min(...[...document.querySelectorAll('svg text, p, dt, dd, small, li, th, td, summary, h2')].map((one) =>
        parseFloat(getComputedStyle(one).fontSize) * (one.getScreenCTM?.().a ?? 1))),
      [...document.querySelectorAll('section, .tile')].filter((one) =>
        one.scrollWidth > one.clientWidth || one.getBoundingClientRect().right > innerWidth).map((one) => one.innerText.slice(0, 40)),
    ]`);
    expect(smallest, `at ${width}`).toBeGreaterThanOrEqual(12);
    expect(outside, `at ${width}`).toEqual([]);
  }
});

test('the median of the waiting times is the middle, or the mean of the two middle times', async () => {
  const viewsAfter = (hours: readonly number[]) => {
    const { store } = historyOf(
      hours.map((hour, index) =>
        batchRecord({
          BatchId: index + 1,
          DateSent: '2026-01-05T10:00:00Z',
          LandingPageFirstWatched: iso(Date.parse('2026-01-05T10:00:00Z') + hour * 3_600_000),
        }),
      ),
    );
    return figuresOf(store.db).waiting;
  };
  expect(viewsAfter([1, 11])).toMatchObject({ median: 6, ninetieth: 10 });
  expect(viewsAfter([1, 2, 12])).toMatchObject({ median: 2, ninetieth: 10 });
  expect(viewsAfter([-1, 5])).toMatchObject({ median: 5, negative: 1 });
});
