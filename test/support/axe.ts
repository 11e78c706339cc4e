import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Result, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { DESKTOP, PHONE } from './page.ts';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Devices on which every kind of page is checked. */
export const DEVICES = [
  ['phone', PHONE],
  ['desktop', DESKTOP],
] as const;

/** axe only checks `target-size` if it is enabled. */
const ALL_RULES: RunOptions = { rules: { 'target-size': { enabled: true } } };

/** Rules about colours. All other rules have the same result in light and dark mode. */
const COLOUR_RULES: RunOptions = {
  runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
};

/** Violations of a page in its current state, one line each. */
export async function violations(page: Page, rules = ALL_RULES): Promise<string[]> {
  // Through the debugger: the policy of our pages blocks external scripts.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  // Passed rules are not reported: they would be most of the result.
  const options = JSON.stringify({ ...rules, resultTypes: ['violations'], selectors: false });
  const found = (await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  )) as Result[];
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 120)} ${failureSummary}`),
  );
}

/** Violations of a page in its current state, in light and in dark mode. */
export async function violationsInBothColours(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const inLight = await violations(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  // Waits until colour transitions have ended.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().map((animation) => animation.finished))',
  );
  const inDark = await violations(page, COLOUR_RULES);
  return [...inLight, ...inDark.map((line) => `dark: ${line}`)];
}
