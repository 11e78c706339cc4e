import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { startSampleService } from '../../src/sample-service/index.ts';
import { temporaryFolder } from '../support/build.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import {
  compilePackage,
  installPackage,
  linkPackages,
  packageCommand,
} from '../support/installed-package.ts';
import { writeFilesBelow } from '../support/theme.ts';

const service = await forAllTests(startSampleService({ dealers: 1, vehicles: 2, images: 1 }));

const versioned = (version: string) => (file: string, text: string) =>
  file === 'package.json' ? text.replace(/"version": "[^"]+"/, `"version": "${version}"`) : text;

const FORMER = versioned('1.9.0');

const ROWS = `
  { kind: 'setting', from: 'site.perPage', to: 'site.vehiclesPerPage', since: '2.0.0', until: '3.0.0' },
  { kind: 'name', from: 'page_.contactLabel', to: 'page_.contactsTitle', since: '1.0.0', until: '2.0.0' },
  { kind: 'template', from: 'partials/social.njk', to: 'partials/sharing.njk', since: '2.0.0', until: '3.0.0' },
  { kind: 'word', from: 'contact', to: 'contactUs', since: '2.0.0', until: '3.0.0' },
`;

const RENAMED = { 'templates/partials/social.njk': 'templates/partials/sharing.njk' };

/** The next major version: a setting, a partial and a word have other names, a view model lost a field, another partial was edited. */
function next(file: string, text: string): string {
  const name = file.split(path.sep).join('/');
  if (name === 'src/config/changes.js') return text.replace('CHANGES = [', `CHANGES = [${ROWS}`);
  if (name === 'src/config/site-schema.js') return text.replace('perPage:', 'vehiclesPerPage:');
  if (name === 'templates/partials/contacts.njk')
    return text.replace('"contacts"', '"contacts ways"');
  if (name.startsWith('src/site/i18n/')) return text.replace(/\bcontact:/, 'contactUs:');
  return versioned('2.0.0')(file, text)
    .replaceAll('words.contact,', 'words.contactUs,')
    .replaceAll('partials/social.njk', 'partials/sharing.njk')
    .replaceAll('config.site.perPage', 'config.site.vehiclesPerPage')
    .replaceAll(/\bcontactLabel\b/g, 'contactsTitle');
}

const CONFIG = (dealer: {
  id: number;
  name: string;
}) => `import { defineConfig } from 'vehicle-media-site/config';

export default defineConfig({
  service: { baseUrl: '${service.baseUrl}' },
  site: {
    title: 'Test Motors',
    url: 'https://cars.test',
    // One, so that each has a page of its own.
    perPage: 1, // no more
  },
  dealers: [
    { id: ${dealer.id}, name: '${dealer.name}', slug: 'north', contact: { phone: '+44 1632 960001' } },
  ],
  media: { widths: [160] },
});
`;

const WITHDRAWN = `{% extends "layouts/base.njk" %}
{% block content %}
{% if page_.contactLabel %}<h1>{{ page_.plate }}</h1>{% endif %}
{% endblock %}
`;

const BRAND = '<meta name="brand" content="north">';
const WORDS = (contact: string) => `{\n  "en": { "${contact}": "Call {dealer}" }\n}\n`;

it('a site of one version is brought to the next: what to do is said, and nothing breaks unsaid', async () => {
  await using folder = await temporaryFolder();
  const project = path.join(folder.path, 'site');
  const compiled = path.join(folder.path, 'compiled');
  const [dealer = { id: 0, name: '' }] = service.data.dealers;
  const config = CONFIG(dealer);
  await writeFilesBelow(project, {
    'site.config.ts': config,
    'package.json': '{ "private": true, "type": "module" }',
    'theme/layouts/withdrawn.njk': WITHDRAWN,
    'theme/partials/social.njk': BRAND,
    'theme/words.json': WORDS('contact'),
  });
  await linkPackages(project);
  await compilePackage(compiled);
  await installPackage(project, compiled, FORMER);
  const run = (...args: string[]) =>
    packageCommand(project, args, { MEDIA_API_KEY: service.mediaKey });
  const build = () => run('build', '--no-from-published', '--first');
  const read = (file: string) => readFile(path.join(project, file), 'utf8');
  const partial = 'theme/partials/contacts.njk';

  // The former version: its partial is copied, and edited.
  expect((await run('upgrade', '--copy', 'partials/contacts.njk')).exitCode).toBe(0);
  const edited = (await read(partial)).replace('</ul>', '</ul><p>Open daily</p>');
  await writeFile(path.join(project, partial), edited);
  expect(await build()).toMatchObject({ exitCode: 0 });
  const list = await read('_site/north/index.html');
  const own = [BRAND, 'aria-label="Call ', '<p>Open daily</p>'];
  for (const text of own) expect(list).toContain(text);
  expect(await readdir(path.join(project, '_site/north'))).toContain('page');

  // The next one: a build says what it cannot do without, where, and what took its place.
  await installPackage(project, compiled, next, RENAMED);
  const failed = await build();
  expect(failed.exitCode).toBe(2);
  expect(failed.stderr).toMatch(/theme\/layouts\/withdrawn\.njk cannot be rendered: line 3\./);
  expect(failed.stderr).toContain('page_.contactLabel is now page_.contactsTitle (since 1.0.0)');
  expect(failed.stderr).toContain('npm run upgrade lists all such places');
  expect(await read('_site/north/index.html')).toBe(list);

  // All of it is said at once, and nothing is written.
  const said = await run('upgrade');
  expect(said.exitCode).toBe(8);
  expect(said.stdout).toContain(
    'site.perPage is now site.vehiclesPerPage (since 2.0.0). [setting-renamed]',
  );
  expect(said.stdout).toContain(
    'theme/layouts/withdrawn.njk, line 3: page_.contactLabel is now page_.contactsTitle',
  );
  expect(said.stdout).toMatch(
    /theme\/partials\/contacts\.njk: the original changed[\s\S]*\n +\+.*"contacts ways"/,
  );
  expect(said.stdout).toMatch(
    /theme\/layouts\/withdrawn\.njk takes the place.*\[original-unknown\]/,
  );
  expect(said.stdout).toMatch(
    /theme\/partials\/social\.njk: .*\n.*partials\/sharing\.njk \(since 2\.0\.0\)\.\n.*Rename/,
  );
  expect(said.stdout).toContain('theme/words.json, line 2: en.contact is now contactUs');
  expect([await read('site.config.ts'), await read(partial)]).toEqual([config, edited]);
  const doctor = await run('doctor');
  for (const code of ['setting-renamed', 'template-name-renamed', 'original-changed']) {
    expect(doctor.stdout).toContain(`[${code}]`);
  }

  // A person renames in the template. What works under its former name works on, and a setting is noted.
  const mended = WITHDRAWN.replace('contactLabel', 'contactsTitle');
  await writeFile(path.join(project, 'theme/layouts/withdrawn.njk'), mended);
  expect(await build()).toMatchObject({ exitCode: 0 });
  const { notes } = JSON.parse(await read('build-report.json'));
  expect(notes.join('\n')).toContain('site.perPage is now site.vehiclesPerPage');
  expect(await readdir(path.join(project, '_site/north'))).toContain('page');
  const between = await read('_site/north/index.html');
  for (const text of own) expect(between).toContain(text);
  expect(between).not.toContain('contacts ways');

  // The rest is done for them: a copy is kept, comments stay.
  const written = await run('upgrade', '--write');
  expect(written.exitCode).toBe(8);
  expect(await read('site.config.ts')).toBe(config.replace('perPage', 'vehiclesPerPage'));
  expect(await read('site.config.ts.former')).toBe(config);
  expect(await read(partial)).toBe(edited.replace('"contacts"', '"contacts ways"'));
  expect(await read(`${partial}.former`)).toBe(edited);
  await run('upgrade', '--merged', 'theme/layouts/withdrawn.njk');
  await writeFile(path.join(project, 'theme/words.json'), WORDS('contactUs'));
  const [from, to] = ['social', 'sharing'].map((name) => `theme/partials/${name}.njk`);
  await rename(path.join(project, from ?? ''), path.join(project, to ?? ''));
  await run('upgrade', '--merged', to ?? '');
  expect(await run('upgrade')).toMatchObject({ exitCode: 0, stdout: 'Nothing is left to do.\n' });
  expect(await build()).toMatchObject({ exitCode: 0 });
  const page = await read('_site/north/index.html');
  expect(page).toContain('<ul class="contacts ways" aria-label="');
  for (const text of own) expect(page).toContain(text);
  expect(JSON.parse(await read('build-report.json')).notes.join('\n')).not.toContain('is now');
}, 240_000);
