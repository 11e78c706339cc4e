import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { GENERATED_SECTIONS } from '../../../scripts/schema/setup-reference.ts';
import { finding } from '../../../src/setup/findings.ts';

it('makes text of the service safe for a terminal', () => {
  const shown = finding('unknown-fields', {}, 'A\u001b[2J: ::error::x', { why: '\u001b' });
  expect(shown.what + shown.why).not.toContain('\u001b');
});

/** The cells of a table. The formatter controls the width of its columns. */
const cells = (text: string): string => text.replace(/ +/g, ' ').replace(/-{3,}/g, '---');

it.each(GENERATED_SECTIONS)('$file contains the $name from npm run schema', async (section) => {
  const { file, name, content } = section;
  const document = await readFile(new URL(`../../../${file}`, import.meta.url), 'utf8');
  const [, found = ''] = new RegExp(`<!-- ${name} -->([^]*)<!-- /${name} -->`).exec(document) ?? [];
  expect(cells(found.trim())).toBe(cells(content()));
});
