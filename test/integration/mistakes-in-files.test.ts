import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { argumentsIn, writeConfigIn } from '../support/build.ts';
import { runCommand } from '../support/command.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { commandHere } from '../support/run-here.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 1, media: 'none' }));
const env = { MEDIA_API_KEY: service.mediaKey };

it.each([
  ['site.config.ts', "export default {\n  site: {},\n  title: = 'x',\n};\n", 3],
  ['site.config.ts', 'export default {\n  site: {\n', 2],
  ['site.config.ts', 'export default {\n  dealers: [{ id: 07001 }],\n};\n', 2],
  ['site.config.js', "export default {\n  site: {},\n  title: = 'x',\n};\n", 3],
  ['site.config.js', 'import { nothing } from "node:path";\nexport default nothing;\n', 1],
  ['site.config.ts', 'const a: number = 1;\n\nexport default { a: missing.b };\n', 3],
  ['site.config.json', '{\n  "site": {},\n  dealers: []\n}\n', 3],
  ['site.config.json', '{\n  "site": {\n    "title": "x"\n', 3],
])('a mistake in %s (%#) is reported with file and line', async (name, text, line) => {
  const folder = tempFolder();
  const file = path.join(folder, name);
  await writeFile(file, text);
  // Node reports mistakes in code, but not if a loader is active in the process.
  const run = name.endsWith('.json') ? commandHere : runCommand;
  const ran = await run('build', [
    ...['--config', file, '--report', path.join(folder, 'report.json')],
  ]);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 2 });
  expect(ran.stderr).toContain('[config-unreadable]');
  expect(ran.stderr).toContain(file);
  expect(ran.stderr).toMatch(new RegExp(`line ${line}\\b`, 'i'));
  expect(ran.stderr).not.toMatch(/^\s+at /m);
  expect(ran.stderr).toContain('Correct it.');
  expect(ran.stderr.includes('begin with 0')).toBe(!text.includes('missing.b'));
  expect(ran.stderr.includes('must be in quotation marks')).toBe(text.includes('missing.b'));
  // Init would replace all settings.
  expect(ran.stderr).not.toContain('npm run init');
});

it('a mistake in a file imported by the configuration is reported with that file', async () => {
  const folder = tempFolder();
  await writeFilesBelow(folder, {
    'site.config.ts': "import dealers from './dealers.ts';\nexport default { dealers };\n",
    'dealers.ts': 'export default [\n  {\n    id: = 1,\n  },\n];\n',
  });
  const ran = await runCommand('doctor', [...['--config', path.join(folder, 'site.config.ts')]]);
  expect(ran.stdout).toContain(`${path.join(folder, 'dealers.ts')}, line 3`);
});

it.each([
  ['site.config.ts', 'latin1'],
  ['site.config.json', 'utf16le'],
  ['theme/words.json', 'latin1'],
  ['theme/partials/footer.njk', 'latin1'],
  ['theme/assets/site.css', 'latin1'],
] as const)(
  '%s in %s is refused, so that no letter is unreadable on pages',
  async (name, encoding) => {
    const folder = tempFolder();
    writeConfigIn(folder, service);
    await writeFilesBelow(folder, { [name]: '' });
    // The byte order mark that Notepad writes.
    const mark = encoding === 'utf16le' ? '\ufeff' : '';
    await writeFile(path.join(folder, name), `${mark}{ "title": "Müller" }`, encoding);
    const config = name.startsWith('site') ? ['--config', path.join(folder, name)] : [];
    const ran = await commandHere('build', [...argumentsIn(folder), ...config], env);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 2 });
    expect(ran.stderr).toContain(`${name} is not in UTF-8. [file-encoding]`);
  },
);

it.each([
  ['theme/words.json', '{\n  "en": {\n    "search": nothing\n  }\n}\n', 3, 'theme-words-invalid'],
  ['stock.csv', 'Plate;Price\nAB12XYZ;"1"\nCD34XYZ;"2\n', 3, 'stock-file-invalid'],
])('a mistake in %s is reported with file and line', async (name, text, line, code) => {
  const folder = tempFolder();
  await writeFilesBelow(folder, { [name]: text });
  const stock = { file: name, columns: { plate: 'Plate', price: 'Price' } };
  writeConfigIn(folder, service, {
    dealers: [{ id: 7001, name: 'One', slug: 'one', ...(name === 'stock.csv' && { stock }) }],
  });
  const ran = await commandHere('build', argumentsIn(folder), env);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 2 });
  expect(ran.stderr).toContain(`[${code}]`);
  expect(ran.stderr).toContain(name);
  expect(ran.stderr).toMatch(new RegExp(`line ${line}\\b`, 'i'));
});

it.each([
  ['Vehicles.CSV', 'Rename it to vehicles.csv.'],
  ['vehicles.csv.txt', 'Rename it to vehicles.csv.'],
  ['Vehicles.xlsx', 'Save it as vehicles.csv, in the format CSV.'],
  ['vehicles.ods', 'Save it as vehicles.csv, in the format CSV.'],
  ['Theme/assets/theme.css', 'Rename it to theme.'],
  ['Pages/imprint.md', 'Rename it to pages.'],
])('%s, which builds do not read, is not ignored', async (file, fix) => {
  const folder = tempFolder();
  await writeFilesBelow(folder, { [file]: 'plate,hide\n' });
  writeConfigIn(folder, service);
  const ran = await commandHere('build', argumentsIn(folder), env);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 2 });
  expect(ran.stderr).toContain('[file-misnamed]');
  expect(ran.stderr).toContain(fix);
});
