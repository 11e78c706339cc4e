import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { defineConfig } from '../../../src/config/define.ts';
import { deploySettings } from '../../../src/config/deploy-settings.ts';
import { enginesOf } from '../../../src/config/engines.ts';
import {
  canSign,
  ciEnvironment,
  configFile,
  deployTarget,
  loadEnvironmentFile,
  newSiteSecret,
} from '../../../src/config/environment.ts';
import { configurationId, loadConfig, resolveConfig } from '../../../src/config/load.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { thrownBy } from '../../support/thrown.ts';

const KEY = 'key-that-nobody-may-see-1';
const SITE_SECRET = 'p0Xb1kQ-Zr8sV_2mN4tL6wY9cA3eF5gH7jK-DqUxIo';

const good = defineConfig({
  service: { baseUrl: 'https://media.example/' },
  site: { title: 'Cars', url: 'https://cars.example/stock/' },
  dealers: [{ id: 7001, name: 'Northgate', slug: 'northgate' }],
  accounts: [{ name: 'northgate', customerId: 'c', pathId: '1' }],
});

const resolved = (raw: unknown, env: NodeJS.ProcessEnv = { MEDIA_API_KEY: KEY }) =>
  resolveConfig(raw, { file: 'x.json', keysFor: 'dealers', env });
const problemsOf = (...args: Parameters<typeof resolved>) =>
  thrownBy(() => resolved(...args))?.message ?? '';

describe('resolveConfig', () => {
  it('fills in every default and freezes the result', () => {
    const config = resolved(good);
    expect(config.site.url).toBe('https://cars.example/stock');
    expect(config.media.widths).toEqual([320, 800, 1280]);
    expect(config.dealers[0]?.apiKeyEnv).toBe('MEDIA_API_KEY');
    expect(config.accounts[0]?.daysOfHistory).toBe(30);
    expect(config.publish.maxSnapshotAge).toBe(72 * 3_600_000);
    expect(Object.isFrozen(config.media.widths)).toBe(true);
  });

  it.each([
    ['dealers[0].color: ', 'did you mean colour?', { dealers: [{ color: '#000000' }] }],
    [
      'dealers[0].googleStoreCode: ',
      'did you mean storeCode?',
      { dealers: [{ googleStoreCode: 'A1' }] },
    ],
    ['dealer: ', 'did you mean dealers?', { dealer: [] }],
    ['dealers[0].phone: ', 'did you mean dealers[].contact.phone?', { dealers: [{ phone: '1' }] }],
    ['site.language: ', 'did you mean locale?', { site: { language: 'de' } }],
    ['site.languages: ', 'did you mean locales?', { site: { languages: ['de'] } }],
    ['service.url: ', 'did you mean baseUrl?', { service: { url: 'https://media.example' } }],
    [
      'dealers[0].dealerId: ',
      'did you mean id?',
      { dealers: [{ dealerId: 1, name: 'A', slug: 'a' }] },
    ],
    [
      'service.apiKey: ',
      'did you mean dealers[].apiKeyEnv?',
      { service: { baseUrl: 'https://media.example', apiKey: 'x' } },
    ],
    ['media.xyz: ', 'check the spelling', { media: { xyz: 1 } }],
  ])('suggests the intended setting for an unknown name: %s', (path, hint, raw) => {
    const line = problemsOf(raw)
      .split('\n')
      .find((text) => text.startsWith(`- ${path}`));
    expect(line).toContain(`is not a known setting; ${hint}`);
  });

  const site = (url: string) => ({ site: { title: 'Cars', url } });
  const service = (path: string) => ({ service: { baseUrl: `https://media.example${path}` } });
  const stock = (value: object) => ({ dealers: [{ id: 1, name: 'A', slug: 'a', stock: value }] });
  it.each<[object, string]>([
    [stock({ file: 'http://cars.example/a.csv' }), 'must begin with https://'],
    [stock({ file: 'https://ann:word@cars.example/a.csv' }), 'must contain no password'],
    [stock({ file: 'https://cars.example/a', credentialsEnv: 'TOKEN' }), 'TOKEN, which is not set'],
    [stock({ file: 'a.csv', credentialsEnv: 'TOKEN' }), 'has no effect on a file'],
    [site('https://cars.example//stock'), 'no "//" in its path'],
    [site('https://cars.example/index.html'), 'no page'],
    [site('https://cars.example/?a=1'), 'no query'],
    [service('/media/PublicAPI/GetMediaByDealer/'), 'service.baseUrl: must end before'],
    // A setting of another profile: no other name is suggested.
    [
      { feeds: [{ profile: 'meta-automotive', country: 'GB' }] },
      'feeds[0].country: does not fit the settings next to it',
    ],
    [
      { dealers: [{ id: 1, name: 'A', slug: 'con' }] },
      'dealers[0].slug: is a name that Windows reserves',
    ],
    // The only place is the variable DEPLOY_TO. A second one could contradict it.
    [{ host: 'netlify' }, '- host: is not a known setting'],
  ])('refuses %j', (settings, problem) => {
    const text = problemsOf({ ...good, ...settings });
    expect(text).toContain(problem);
    expect(text).not.toContain('word@');
  });

  it('removes spaces around addresses, which a copied text often has', () => {
    const baseUrl = ' https://media.example/ ';
    const site = { title: 'Cars', url: 'https://cars.example/ \n' };
    const config = resolveConfig({ ...good, service: { baseUrl }, site }, { file: 'x' });
    expect([config.service.baseUrl, config.site.url]).toEqual([
      'https://media.example',
      'https://cars.example',
    ]);
  });

  it('reports missing settings, and names of languages in place of their tags', () => {
    const text = problemsOf({ ...good, site: { url: 'https://cars.example', locale: 'deutsch' } });
    expect(text).toContain('- site.title: is missing (a text)');
    expect(text).toContain('- site.locale: must be a language tag such as "en-GB"');
  });

  it.each(['en-UK', 'EN-gb'])('writes the locale %s in its usual form', (locale) => {
    const site = {
      title: 'Cars',
      url: 'https://cars.example',
      locale,
      locales: ['en-GB', 'de-at'],
    };
    expect(resolveConfig({ ...good, site }, { file: 'x', env: {} }).site).toMatchObject({
      locale: 'en-GB',
      locales: ['en-GB', 'de-AT'],
    });
  });

  it('reports every problem at once, each with its path and in plain words', () => {
    const wrong = {
      service: { baseUrl: 'http://media.example', feildNames: {} },
      site: { title: '', url: 'cars.example', sticker: 'yes', perPage: 1.5, plates: 'no' },
      dealers: [
        {
          id: '7001',
          name: 'A',
          slug: 'North Gate',
          contact: { email: 'nowhere', phone: null, whatsapp: '07700 900123' },
          openingHours: { week: 'Mo-Fr 09:00-18:00' },
          address: { street: 'Hill 1', city: 'Leeds', country: 'UK' },
        },
        { id: 2, name: 'B', slug: 'media' },
        { id: 2, name: 'C', apiKeyEnv: 'NORTH_KEY' },
      ],
      feeds: [{ profile: 'google' }, { profile: 'generic', columns: { '': 'plate' } }],
      media: { widths: [0], hosts: ['https://x.example'], formats: [] },
      publish: { maxPictureFailures: 1.5 },
    };
    const text = problemsOf(wrong, { NORTHKEY: KEY });
    for (const problem of [
      'service.baseUrl: must be https',
      'service.feildNames: is not a known setting',
      'site.title: must not be empty',
      'site.url: must be an absolute',
      'site.sticker: must be true or false, not a text',
      'site.perPage: must be a whole number\n',
      'site.plates: must be "show" or "hide"',
      'dealers[0].id (A): must be a number, not a text',
      'dealers[0].slug (A): must be lower-case',
      'dealers[0].contact.email (A): is not a valid email',
      'dealers[0].contact.phone (A): must be a text, not null',
      'dealers[0].contact.whatsapp (A): must be a number',
      'dealers[0].openingHours.week (A): must be a list, not a text',
      'dealers[0].address.country (A): must be a country code',
      'dealers[1].slug (B): is a name that the site itself uses',
      'dealers[2].id (C): is the same as dealers[1].id',
      'dealers[2].apiKeyEnv (C): names the environment variable NORTH_KEY, which is not set (but NORTHKEY is). Add it to .env (one line, NAME=KEY)',
      'feeds[0].profile: must be "google-vehicle-ads" or "meta-automotive" or "generic"',
      'feeds[1].columns.: is not accepted',
      'media.widths[0]: must be at least',
      'media.hosts[0]: must be a host name',
      'media.formats: must not be empty',
      'publish.maxPictureFailures: must be at most 1',
    ]) {
      expect(text).toContain(`- ${problem}`);
    }
    expect(text).not.toMatch(/Invalid|Too |expected/);
  });

  it.each([
    '5f1c9a27-3d84-4b6e-a1f0-8c2d7e94b536',
    'keywithoutpunctuation1',
    'AB1C9A273D844B6EA1F08C2D7E94B536',
  ])('does not print a key that is in the place of the name of its variable: %s', (key) => {
    const text = problemsOf({ ...good, dealers: [{ ...good.dealers?.[0], apiKeyEnv: key }] }, {});
    expect(
      text.match(/- dealers\[0\]\.apiKeyEnv: .* an environment variable, (which is )?not/g),
    ).toHaveLength(1);
    expect(text).toContain(' has a problem:');
    expect(text).not.toContain(key);
  });

  it.each([
    ['https://media.example', true],
    ['http://127.0.0.1:8701', true],
    ['http://localhost:8701', true],
    ['http://[::1]:8701', true],
    ['http://media.example', false],
    ['http://127.0.0.1.media.example', false],
    ['https://user:pw@media.example', false],
    ['https://media.example/?x=1', false],
    ['ftp://media.example', false],
    ['nonsense', false],
  ])('base address %s: accepted %s', (baseUrl, accepted) => {
    const text = problemsOf({ ...good, service: { baseUrl } });
    expect(text.includes('service.baseUrl')).toBe(!accepted);
  });

  it('refuses two accounts with one name or one pair of ids', () => {
    const [account] = good.accounts ?? [];
    const withSecond = (more: object) =>
      problemsOf({ ...good, accounts: [account, { ...account, name: 'southgate', ...more }] });
    expect(withSecond({})).toContain('accounts[1].customerId');
    expect(withSecond({ pathId: '2' })).toBe('');
    expect(withSecond({ pathId: '2', name: 'northgate' })).toContain('accounts[1].name');
    // Salesforce compares keys without case.
    expect(withSecond({ pathId: '2', name: 'Northgate' })).toContain('accounts[1].name');
  });

  it.each([
    [undefined, undefined],
    ['', undefined],
    [` ${SITE_SECRET} `, SITE_SECRET],
  ])('reads SITE_SECRET from the environment: %j', (value, expected) => {
    const config = resolved(good, { MEDIA_API_KEY: KEY, SITE_SECRET: value });
    expect(config.siteSecret?.reveal()).toBe(expected);
    expect(inspect(config, { depth: 9, showHidden: true })).not.toContain(SITE_SECRET);
    expect(JSON.stringify(config)).not.toContain(SITE_SECRET);
  });

  it.each(['a-weak-site-secret', '0123456789abcdef0123456', 'abc'.repeat(20)])(
    'refuses a guessable SITE_SECRET without repeating it: %s',
    (SITE_SECRET) => {
      const text = problemsOf(good, { MEDIA_API_KEY: KEY, SITE_SECRET });
      expect(text).toContain('- (environment) SITE_SECRET: is too easy to guess');
      expect(text).toContain('at least 24 letters and digits, 8 of them different');
      expect(text).not.toContain(SITE_SECRET);
    },
  );

  it('generates a different usable SITE_SECRET each time', () => {
    const made = Array.from({ length: 50 }, () => newSiteSecret());
    expect(made.every(canSign)).toBe(true);
    expect(new Set(made.map((secret) => secret.reveal())).size).toBe(50);
  });
});

describe('loadConfig', () => {
  it('reads .ts, .js and .json files', async () => {
    const folder = tempFolder();
    const json = JSON.stringify(good);
    for (const [name, text] of [
      ['a.json', json],
      ['marked.json', `\ufeff${json}`],
      ['a.js', `export default ${json}`],
      ['a.ts', `const config: object = ${json}; export default config;`],
    ] as const) {
      const file = path.join(folder, name);
      await writeFile(file, text);
      const config = await loadConfig({ file, keysFor: 'none', env: {} });
      expect(config.dealers[0]?.name).toBe('Northgate');
    }
  });

  it.each([
    ['missing.json', undefined, 'config-unreadable', 'from the current folder'],
    ['broken.json', '{', 'config-unreadable'],
    ['empty.js', 'export const x = 1;', 'config-unreadable', 'export default'],
    ['config.yaml', 'a: 1', 'config-extension'],
  ])('%s is reported with code %s', async (name, text, code, why = '') => {
    const folder = tempFolder();
    const file = path.join(folder, name);
    if (text !== undefined) await writeFile(file, text);
    const error = await loadConfig({ file, env: {} }).catch((problem) => problem);
    expect(error).toMatchObject({ code, exitCode: 2 });
    expect(`${error.why} ${error.fix}`).toContain(why);
  });

  it('reads file names and CI detection only from the environment', () => {
    expect(configFile({}, { cwd: '/a', env: {} })).toBe(path.resolve('/a/site.config.ts'));
    expect(deployTarget({ DEPLOY_TO: ' Netlify\n' })).toBe('netlify');
    expect(deployTarget({ DEPLOY_TO: ' ' })).toBeUndefined();
    expect(ciEnvironment({ GITHUB_ACTIONS: 'true' })).toEqual({
      githubActions: true,
      stepSummary: undefined,
    });
  });
});

it.each([
  ['\ufeff', 'utf8'],
  ['\ufeff', 'utf16le'],
  ['', 'utf8'],
] as const)('reads the .env of Windows programs: %j, %s', async (mark, encoding) => {
  const folder = tempFolder();
  const file = path.join(folder, '.env');
  await writeFile(file, `${mark}MEDIA_API_KEY=ä1\r\nSITE_SECRET=x\r\n`, encoding);
  // An empty variable counts as not set, as in all other places.
  const env: NodeJS.ProcessEnv = { SITE_SECRET: ' ' };
  loadEnvironmentFile(file, { env });
  expect(env).toEqual({ MEDIA_API_KEY: 'ä1', SITE_SECRET: 'x' });
});

it.each(['"', "'"])('%s around a value are not part of it, as in .env', (mark) => {
  const quoted = (value: string) => `${mark}${value}${mark}\n`;
  const env = { MEDIA_API_KEY: quoted(KEY), SITE_SECRET: quoted(SITE_SECRET) };
  const config = resolved(good, env);
  expect(config.dealers[0]?.apiKey.reveal()).toBe(KEY);
  expect(config.siteSecret?.reveal()).toBe(SITE_SECRET);
  expect(deployTarget({ DEPLOY_TO: quoted('netlify') })).toBe('netlify');
  const place = { cwd: '/a', env: { SITE_CONFIG: quoted('other.json') } };
  expect(configFile({}, place)).toBe(path.resolve('/a/other.json'));
  const bucket = { S3_BUCKET: quoted('cars'), AWS_ACCESS_KEY_ID: 'id' };
  const settings = deploySettings('s3', { ...bucket, AWS_SECRET_ACCESS_KEY: quoted(KEY) });
  expect(settings.bucket).toBe('cars');
  expect(settings.secretAccessKey.reveal()).toBe(KEY);
  expect(enginesOf({ QUEUE_URL: quoted('redis://q') }).queueUrl?.reveal()).toBe('redis://q');
});

it('names the .env that is a folder, which Docker creates for a missing file', async () => {
  const folder = tempFolder();
  expect(() => loadEnvironmentFile(folder, { env: {} })).toThrow(
    expect.objectContaining({ code: 'EISDIR', path: folder }),
  );
});

it('sites with the same name of their configuration have different ids', () => {
  const idOf = (url: string) => configurationId({ file: 'site.config.ts', site: { url } as never });
  expect(idOf('https://cars.example')).not.toBe(idOf('https://vans.example'));
});
