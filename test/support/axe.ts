import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { DESKTOP, PHONE } from './page.ts';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Violations of a page, one line each; `target-size` is off in axe unless it is switched on. */
export async function violations(page: Page): Promise<string[]> {
  // Through the debugger: the policy of our pages lets no foreign script in.
  await page.evaluate(axe);
  const results = (await page.evaluate(
    "axe.run(document, { rules: { 'target-size': { enabled: true } } })",
  )) as AxeResults;
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 120)} ${failureSummary}`),
  );
}

/** Devices and colours that every kind of page is looked at on. */
export const LOOKS = [
  ['phone, light', { ...PHONE, colorScheme: 'light' }],
  ['phone, dark', { ...PHONE, colorScheme: 'dark' }],
  ['desktop, light', { ...DESKTOP, colorScheme: 'light' }],
  ['desktop, dark', { ...DESKTOP, colorScheme: 'dark' }],
] as const;
