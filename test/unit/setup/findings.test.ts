import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { GENERATED_SECTIONS, SAMPLES } from '../../../scripts/schema/setup-reference.ts';
import { type Code, describeFinding, finding } from '../../../src/setup/findings.ts';
import { PROSE } from '../../../src/setup/prose/prose.ts';

it.each(Object.keys(PROSE) as Code[])('%s says what, why, and what to do', (code) => {
  const { what, why, fix } = describeFinding(finding(code, SAMPLES[code] as never));
  for (const text of [what, why, fix, PROSE[code].meaning]) {
    expect(text).toMatch(/\S{2}/);
    expect(text).not.toMatch(/undefined|NaN|\[object/);
  }
});

it('makes text of the service safe for a terminal', () => {
  const told = describeFinding(
    finding('unknown-fields', { subject: 'A\u001b[2J', fields: { '::error::x': 1 } }),
  );
  expect(told.what).not.toContain('\u001b');
});

/** A table as its cells: how wide its columns are is the formatter's business. */
const cells = (text: string): string => text.replace(/ +/g, ' ').replace(/-{3,}/g, '---');

it.each(GENERATED_SECTIONS)('$file holds the $name that npm run schema writes', async (section) => {
  const { file, name, content } = section;
  const document = await readFile(new URL(`../../../${file}`, import.meta.url), 'utf8');
  const [, found = ''] = new RegExp(`<!-- ${name} -->([^]*)<!-- /${name} -->`).exec(document) ?? [];
  expect(cells(found.trim())).toBe(cells(content()));
});
