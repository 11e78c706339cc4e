import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { figuresOf } from '../../src/batches/report/figures.ts';
import { writeHistoryReport } from '../../src/batches/report/page.ts';
import { recordPull } from '../../src/batches/store/accounts.ts';
import type { HistoryStore } from '../../src/batches/store/open.ts';
import { fill, historyOf } from '../support/batch-fill.ts';
import { batchRecord } from '../support/batch-record.ts';
import { runBatches, tempFolder, tempStore } from '../support/batches.ts';
import { sharedBrowser } from '../support/shared.ts';

const NAMES = Array.from({ length: 30 }, (_, index) => `d${index + 1}`);

/** Account N sent N batches in the last four complete weeks and one in the four weeks before. */
function thirtyAccounts() {
  const folder = tempFolder();
  const store = tempStore(folder);
  NAMES.forEach((account, index) => {
    const batch = (BatchId: number, DateCreated: string, watched: boolean) =>
      batchRecord({
        BatchId,
        DateCreated,
        DateSent: DateCreated,
        LandingPageWatchCount: watched ? 1 : 0,
        VideoPlayCount: watched ? 2 : 0,
        CustomerActionState: watched ? 'accepted' : null,
      });
    // 2026-02-01 is a Sunday: its week is incomplete, so the period ends on Monday, 26 January.
    const records = Array.from({ length: index + 1 }, (_, at) =>
      batch(at + 1, '2026-01-10T10:00:00Z', at === 0),
    );
    fill(
      store,
      [
        ...records,
        batch(100, '2025-12-10T10:00:00Z', true),
        batch(101, '2026-01-27T10:00:00Z', true),
      ],
      { account },
    );
  });
  recordPull(store.db, 'd7', '2026-02-01T07:00:00.000Z', { failure: 'service-unreachable' });
  return { folder, store };
}

test('report --format json compares every account with the four weeks before, in natural order', async () => {
  const { store } = thirtyAccounts();
  const { stdout, code } = await runBatches(['report', '--format', 'json', '--store', store.file]);
  expect(code).toBe(0);
  const { byAccount } = JSON.parse(stdout);
  expect(byAccount.map(({ account }: { account: string }) => account)).toEqual(NAMES);
  expect(byAccount[9]).toEqual({
    account: 'd10',
    current: { sent: 10, watched: 1, plays: 2, acted: 1 },
    previous: { sent: 1, watched: 1, plays: 2, acted: 1 },
  });
  expect(byAccount[6]).toMatchObject({ account: 'd7', failed: 'service-unreachable' });
  expect(stdout).not.toMatch(/example\.com|RecipientEmail/);
});

test('the page shows the accounts side by side, marks a failed one, and fits a phone', async () => {
  const { folder, store } = thirtyAccounts();
  const file = await writeHistoryReport(store, { folder: path.join(folder, 'report') });
  await using page = await (await sharedBrowser()).newPage({
    viewport: { width: 360, height: 740 },
  });
  await page.goto(pathToFileURL(file).href);
  const table = page.getByRole('table', { name: 'Figures of each account' });
  const rows = await table.locator('tbody tr').allTextContents();
  expect(rows).toHaveLength(30);
  expect(rows[1]).toBe('d22 (before: 1)50 % (before: 100 %)21ok');
  expect(rows[6]).toContain('failed: service-unreachable');
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  // The name of the account stays visible while the table scrolls.
  const region = page.getByRole('group', { name: 'Figures of each account' });
  await region.evaluate((one: { scrollLeft: number }) => {
    one.scrollLeft = 300;
  });
  const name = await table.locator('tbody th').first().boundingBox();
  const card = await region.boundingBox();
  expect(name?.x).toBeGreaterThanOrEqual((card?.x ?? 0) - 1);
  // On A4 paper, which does not scroll, nothing is cut off. The dark colours are only for screens.
  await page.setViewportSize({ width: 718, height: 1000 });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const cut = await page.evaluate<string[]>(
    "[...document.querySelectorAll('.scroll, .plot')].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.ariaLabel)",
  );
  expect(cut).toEqual([]);
  expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(27, 36, 48)');
});

test('all figures count the same actions, and the page states which actions they leave out', async () => {
  const { folder, store, run } = historyOf(
    (['watched', 'unwatched', 'unsent'] as const).flatMap((state, index) =>
      Array.from({ length: 3 - index }, (_, at) =>
        batchRecord({
          BatchId: 10 * index + at,
          DateCreated: '2026-01-10T10:00:00Z',
          DateSent: state === 'unsent' ? null : '2026-01-10T11:00:00Z',
          LandingPageWatchCount: state === 'unwatched' ? 0 : 1,
          CustomerActionState: 'accepted',
        }),
      ),
    ),
  );
  const figures = JSON.parse((await run(['report', '--format', 'json'])).stdout);
  const [weekly] = store.db.prepare('SELECT acted FROM funnel_weekly').all();
  expect(figures.funnel.at(-1)).toEqual({ label: 'Acted', count: 3 });
  expect(figures.byAccount[0].current.acted).toBe(3);
  expect(weekly?.acted).toBe(3);
  expect(figures.actionsLeftOut).toBe(3);
  const file = await writeHistoryReport(store, { folder: path.join(folder, 'report') });
  expect(readFileSync(file, 'utf8')).toContain('3 batches have an action, but no');
});

/** One sent batch on each of these days. */
const sentOn = (days: readonly string[]) =>
  days.map((day, index) =>
    batchRecord({
      BatchId: index + 1,
      DateCreated: `${day}T10:00:00Z`,
      DateSent: `${day}T11:00:00Z`,
    }),
  );

async function reportOf(folder: string, store: HistoryStore) {
  const file = await writeHistoryReport(store, { folder: path.join(folder, 'report') });
  const page = readFileSync(file, 'utf8');
  const row = (name: string) =>
    [
      ...(page.split(`<th scope="row">${name}</th>`)[1] ?? '')
        .split('</tr>', 1)
        .join()
        .matchAll(/<td>([^<]*)</g),
    ].map(([, cell]) => cell);
  return { page, row, figures: figuresOf(store.db) };
}

test('the comparison of accounts shows only periods that pulls cover', async () => {
  const folder = tempFolder();
  const store = tempStore(folder);
  const days = ['2025-12-20', '2026-01-03', '2026-01-06', '2026-01-21'];
  // Thirty days: the week of 3 January is incomplete, so three full weeks remain.
  fill(store, sentOn(days), { account: 'month', coveredFrom: '2026-01-02T06:00:00.000Z' });
  fill(store, sentOn(days), { account: 'new', coveredFrom: '2026-01-20T06:00:00.000Z' });
  const recent = await reportOf(folder, store);
  expect(recent.figures.comparedWeeks).toBe(3);
  expect(recent.figures.byAccount).toMatchObject([
    { account: 'month', current: { sent: 2 }, previous: undefined },
    { account: 'new', current: undefined, previous: undefined },
  ]);
  expect(recent.row('month')).toEqual(['2', '0 %', '0', '0', 'ok']);
  expect(recent.row('new')).toEqual(['–', '–', '–', '–', 'ok']);
  expect(recent.page).toContain('The last full 3 weeks');

  fill(store, sentOn(days), { account: 'all' });
  fill(store, sentOn(days), { account: 'hole' });
  store.db.exec(`INSERT INTO hole (account_id, from_at, until_at, reason, recorded_at)
    SELECT id, '2025-12-10T00:00:00.000Z', '2025-12-11T00:00:00.000Z', 'a reason', '2026-01-20T00:00:00.000Z'
    FROM account WHERE name = 'hole'`);
  const longer = await reportOf(folder, store);
  expect(longer.figures.comparedWeeks).toBe(4);
  expect(longer.row('all')[0]).toBe('3 (before: 1)');
  expect(longer.row('hole')[0]).toBe('3');
  expect(longer.row('month')[0]).toBe('–');
});

test('a week is not fully covered if the pulls of an account have failed since then', async () => {
  const folder = tempFolder();
  const store = tempStore(folder);
  fill(store, sentOn(['2026-01-06']), { account: 'failing', at: '2026-01-14T06:00:00.000Z' });
  fill(store, sentOn(['2026-01-06']), { account: 'good' });
  const coveredWeeks = async () =>
    (await reportOf(folder, store)).figures.weeks.slice(-3).map(({ hole }) => !hole);
  // The account was removed from the configuration: only its last week is incomplete.
  expect(await coveredWeeks()).toEqual([true, false, true]);
  recordPull(store.db, 'failing', '2026-02-01T06:00:00.000Z', { failure: 'service-unreachable' });
  expect(await coveredWeeks()).toEqual([true, false, false]);
});

test('the comparison shows since when an account is no longer pulled', async () => {
  const folder = tempFolder();
  const store = tempStore(folder);
  fill(store, sentOn(['2026-01-06']), { account: 'left', at: '2026-01-14T06:00:00.000Z' });
  fill(store, sentOn(['2026-01-06']), { account: 'paused', at: '2026-01-26T06:00:00.000Z' });
  fill(store, sentOn(['2026-01-06']), { account: 'good' });
  const lastPulls = async () => {
    const { row } = await reportOf(folder, store);
    return ['left', 'paused', 'good'].map((name) => row(name).at(-1));
  };
  expect(await lastPulls()).toEqual(['none since 2026-01-14', 'ok', 'ok']);
  recordPull(store.db, 'left', '2026-01-15T06:00:00.000Z', { failure: 'service-unreachable' });
  expect((await lastPulls())[0]).toBe('failed: service-unreachable, none since 2026-01-15');
});
