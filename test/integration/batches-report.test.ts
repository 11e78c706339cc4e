import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { expect, test } from 'vitest';
import { writeHistoryReport } from '../../src/batches/report/report.ts';
import { fill } from '../support/batch-fill.ts';
import { batchRecord } from '../support/batch-record.ts';
import { World } from '../support/batch-world.ts';
import { DAY, tempFolder, tempStore } from '../support/batches.ts';
import { launchBrowser } from '../support/browser.ts';

const NOW = Date.parse('2026-02-01T06:00:00Z');

function filled() {
  const folder = tempFolder();
  const store = tempStore(folder);
  const world = new World({ start: NOW - 60 * DAY, days: 60, perDay: 5, seed: 3 });
  const hostile = batchRecord({
    BatchId: 1,
    DateSent: '2026-01-05T10:00:00Z',
    SendingUserName: '<script>alert(1)</script>"\'',
  });
  fill(store, [
    ...world.at(NOW),
    ...Array.from({ length: 12 }, (_, index) => ({ ...hostile, BatchId: index + 1 })),
  ]);
  store.db.exec(`INSERT INTO hole (account_id, from_at, until_at, reason, recorded_at)
    VALUES (1, '2026-01-07T00:00:00.000Z', '2026-01-09T00:00:00.000Z', 'a reason', '2026-01-20T00:00:00.000Z')`);
  return { folder, store };
}

test('the report: totals that add up, the same page twice, no person, no script', async () => {
  const { folder, store } = filled();
  const file = await writeHistoryReport(store, { folder: path.join(folder, 'report'), bases: [] });
  const page = readFileSync(file, 'utf8');
  const [row] = store.db
    .prepare('SELECT count(*) AS n, sum(date_sent IS NOT NULL) AS sent FROM version')
    .all();
  expect(page).toContain(`<th scope="row">Created</th><td>${row?.n}</td>`);
  expect(page).toContain(`<th scope="row">Sent</th><td>${row?.sent}</td>`);
  expect(page).toContain('no, a hole');
  expect(page).toContain('a reason');
  expect(page).not.toMatch(/customers\.example|person\d|\+44|Your video|<script|javascript:/i);
  expect(page.match(/<svg /g)).toHaveLength(6);
  expect(page.match(/<svg [^>]*role="img"/g)).toHaveLength(6);
  expect(page.match(/<caption>/g)?.length).toBe(7);
  const again = await writeHistoryReport(store, { folder: path.join(folder, 'report'), bases: [] });
  expect(readFileSync(again, 'utf8')).toBe(page);
  await expect(
    writeHistoryReport(tempStore(), { folder: path.join(folder, 'r'), bases: [] }),
  ).rejects.toMatchObject({ code: 'report-no-history' });
});

test('a browser shows it without a request, a script or a complaint, with names for its charts', async () => {
  const { folder, store } = filled();
  const file = await writeHistoryReport(store, { folder: path.join(folder, 'report'), bases: [] });
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({
      viewport: { width: 390, height: 800 },
      javaScriptEnabled: true,
    });
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    expect(complaints).toEqual([]);
    expect(requests).toEqual([pathToFileURL(file).href]);
    const charts = page.getByRole('img');
    expect(await charts.count()).toBe(6);
    expect(await page.getByRole('img', { name: 'From created to acted' }).isVisible()).toBe(true);
    // The policy of the page forbids scripts, so axe comes in through the debugger.
    await page.evaluate(axe.source);
    const violations = await page.evaluate<string[]>(
      "axe.run().then((result) => result.violations.map((one) => one.id + ': ' + one.nodes.map((node) => node.html.slice(0, 120)).join(' | ')))",
    );
    expect(violations).toEqual([]);
    // The style applies (its hash is in the policy), and the page never scrolls sideways.
    const [background, overflow] = await page.evaluate<[string, number]>(
      '[getComputedStyle(document.body).backgroundColor, document.documentElement.scrollWidth - innerWidth]',
    );
    expect(background).toBe('rgb(245, 246, 248)');
    expect(overflow).toBeLessThanOrEqual(0);
  } finally {
    await browser.close();
  }
}, 120_000);
