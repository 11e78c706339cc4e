import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { fileWithDealers } from '../../../src/setup/init/added-dealers.ts';
import { type Answers, answersFromFlags } from '../../../src/setup/init/answers.ts';
import { configFile } from '../../../src/setup/init/config-file.ts';
import { lossesOf, planFiles } from '../../../src/setup/init/write.ts';
import { EXAMPLE } from '../../support/example-answers.ts';

const ADDED = [
  { id: 7002, name: 'Two Cars', slug: 'two', apiKeyEnv: 'MEDIA_API_KEY', phone: '01632 960001' },
];

async function project(text: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'add-dealer-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(path.join(folder, 'site.config.ts'), text);
  return folder;
}

/** The file of init, without the import that a bare folder cannot resolve. */
const plain = (answers: Answers) =>
  configFile(answers)
    .replace(/^import .*\n/m, '')
    .replace('defineConfig(', '')
    .replace(/\}\);\n$/, '} satisfies object;\n');

it.each([
  ['the file that init writes', plain(EXAMPLE)],
  ['an empty list on one line', 'export default { dealers: [] };\n'],
  ['a dealer on one line', 'export default { dealers: [{ id: 1, name: "A", slug: "a" }] };\n'],
  [
    'comments, a comma and types',
    'const one: string = "a";\nexport default {\n  dealers: [\n    // first\n    { id: 1, name: "A", slug: one } as object, // of [all]\n    // more follow,\n  ],\n} satisfies object;\n',
  ],
  [
    'a list that ends with others',
    'const more = [];\nexport default { dealers: [ { id: 1 }, ...more ] };\n',
  ],
  ['an export by name', 'const all = { dealers: [] };\nexport default all;\n'],
  ['a comment before the comma', 'export default { dealers: [{ id: 1 } /* a */ , ] };\n'],
  ['line breaks of Windows', plain(EXAMPLE).replaceAll('\n', '\r\n')],
])('adds a dealer to %s', async (_, text) => {
  const folder = await project(text);
  const file = path.join(folder, 'site.config.ts');
  const next = await fileWithDealers(file, text, ADDED);
  // Nothing of the former text is lost, but for white space before the bracket.
  let at = 0;
  for (const line of text.split(/\s+/).filter((part) => !/^[\]},; ]*$/.test(part))) {
    const found = next.indexOf(line.replace(/[\]};,]+$/, ''), at);
    expect(found, line).toBeGreaterThanOrEqual(at);
    at = found;
  }
  expect(next).toContain("contact: { phone: '01632 960001' }");
  if (text.includes('\r\n')) expect(next.replaceAll('\r\n', '')).not.toContain('\n');
  expect(await readdir(folder)).toEqual(['site.config.ts']);
  expect(await readFile(file, 'utf8')).toBe(text);
});

it.each([
  ['a list from elsewhere', 'const dealers = [];\nexport default { dealers };\n'],
  ['a computed list', 'export default { dealers: [1].map(() => ({ id: 1 })) };\n'],
  ['a list that is cut later', 'export default { dealers: [{ id: 1 }].slice(0, 1) };\n'],
])('prints the lines to paste for %s', async (_, text) => {
  const folder = await project(text);
  const adding = fileWithDealers(path.join(folder, 'site.config.ts'), text, ADDED);
  await expect(adding).rejects.toMatchObject({
    code: 'init-add-dealer',
    exitCode: 2,
    fix: expect.stringContaining("      id: 7002,\n      name: 'Two Cars',\n"),
  });
  expect(await readdir(folder)).toEqual(['site.config.ts']);
});

it('--add-dealer changes only the list, and leaves the workflow', async () => {
  const text = `${plain(EXAMPLE)}// mine\n`;
  const folder = await project(text);
  const answers = answersFromFlags(
    { 'add-dealer': ['7002=Two Cars'], phone: ['7002=01632 960001'] },
    EXAMPLE,
  );
  const files = await planFiles(folder, answers, new Map(), EXAMPLE);
  expect(lossesOf(files)).toEqual([]);
  expect(files.map(({ file }) => file)).toEqual(['site.config.ts', '.env']);
  expect(files[0]?.text).toMatch(/id: 7002,[\s\S]*\/\/ mine\n$/);
  // Another key of its own needs the workflow.
  const own = answersFromFlags({ 'add-dealer': ['7002=Two'], 'key-per-dealer': true }, EXAMPLE);
  const withKey = await planFiles(folder, own, new Map(), EXAMPLE);
  expect(withKey).toHaveLength(3);
  expect(own.dealers[1]?.apiKeyEnv).toBe('MEDIA_API_KEY_7002');
});
