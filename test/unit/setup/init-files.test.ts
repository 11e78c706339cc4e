import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { settingNames } from '../../../src/config/deploy-settings.ts';
import { HOSTS } from '../../../src/config/hosts.ts';
import { resolveConfig } from '../../../src/config/load.ts';
import { Secret } from '../../../src/config/secret.ts';
import {
  type Answers,
  answersFromFlags,
  slugOf,
  toConfig,
} from '../../../src/setup/init/answers.ts';
import { configFile } from '../../../src/setup/init/config-file.ts';
import { planEnvFile } from '../../../src/setup/init/env-file.ts';
import { lossesOf, planFiles, writeProjectFiles } from '../../../src/setup/init/write.ts';
import type { Project } from '../../../src/setup/project.ts';
import { minuteOf, workflowFor } from '../../../src/setup/workflow/workflow.ts';
import { temporaryFolder } from '../../support/build.ts';
import { EXAMPLE, PROJECT } from '../../support/example-answers.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');

const KEYS = new Map([['MEDIA_API_KEY', new Secret('sample-media-key')]]);

describe('site.config.ts', () => {
  const strange: Answers = {
    ...EXAMPLE,
    title: `Bob's "best" \\ \`cars\` \${x}\n// */ end`,
    dealers: [
      { id: 1, name: `O'Neill & Söhne`, slug: 'one', apiKeyEnv: 'MEDIA_API_KEY' },
      { id: 2, name: '</script>', slug: 'two', apiKeyEnv: 'OTHER_KEY' },
    ],
    accounts: [{ name: 'a b', customerId: `it's`, pathId: 'a%2Fb' }],
    pictureHosts: ['a.example', 'b.example:8080'],
    clicks: { socialClicks: 'AClicks', searchClicks: `B'Clicks` },
  };

  it.each([
    ['the example', EXAMPLE],
    ['names that are hard to write', strange],
  ])('says what was answered: %s', async (_, answers) => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'site.config.ts');
    const define = pathToFileURL(path.join(ROOT, 'src/config/define.ts')).href;
    await writeFile(file, configFile(answers).replace('vehicle-media-site/config', define));
    const { default: written } = await import(pathToFileURL(file).href);
    const wanted = toConfig({ ...answers, title: answers.title.replace(/\s+/g, ' ') });
    expect(written).toEqual(wanted);
    expect(() => resolveConfig(written, { file })).not.toThrow();
  });
});

describe('.env', () => {
  it('adds to what stands there and changes nothing else', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, '.env');
    await writeFile(file, '# mine\nBATCH_API_KEY=abc # note');
    const { text, conflicts } = await planEnvFile(file, KEYS);
    expect(conflicts).toEqual([]);
    expect(text).toBe('# mine\nBATCH_API_KEY=abc # note\nMEDIA_API_KEY=sample-media-key\n');
    await writeFile(file, text);
    expect(await planEnvFile(file, KEYS)).toMatchObject({ changed: false, conflicts: [] });
  });

  it('names what it would replace, and fills what is empty', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, '.env');
    await writeFile(file, 'export MEDIA_API_KEY="old key"\nA=1\n');
    const { text, conflicts } = await planEnvFile(file, KEYS);
    expect(conflicts).toEqual(['MEDIA_API_KEY']);
    expect(text).toBe('MEDIA_API_KEY=sample-media-key\nA=1\n');
    await writeFile(file, 'MEDIA_API_KEY=\n');
    expect(await planEnvFile(file, KEYS)).toMatchObject({ conflicts: [] });
  });

  it.each([
    ['A=1\r\nMEDIA_API_KEY=old-key-of-mine\r\nB=2\r\n', ['MEDIA_API_KEY']],
    ['A=1\r\n\r\nMEDIA_API_KEY=\r\nB=2\r\n', []],
    ['A=1\n\n# mine\n\n  export MEDIA_API_KEY = old-key-of-mine\n\nB=2\n', ['MEDIA_API_KEY']],
  ])('keeps line breaks and blank lines of %j', async (former, lost) => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, '.env');
    await writeFile(file, former);
    const { text, conflicts } = await planEnvFile(file, KEYS);
    expect(conflicts).toEqual(lost);
    expect(text).toBe(
      former.replace(/ *(export )?MEDIA_API_KEY.*/, 'MEDIA_API_KEY=sample-media-key'),
    );
    expect(parseEnv(text)).toMatchObject({ A: '1', B: '2', MEDIA_API_KEY: 'sample-media-key' });
  });

  it('adds lines that end as the others do', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, '.env');
    await writeFile(file, 'A=1\r\nB=2');
    const { text } = await planEnvFile(file, KEYS);
    expect(text).toBe('A=1\r\nB=2\r\nMEDIA_API_KEY=sample-media-key\r\n');
  });

  it('refuses to change a value over several lines that only looks like the key', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, '.env');
    await writeFile(file, 'NOTE="one\nMEDIA_API_KEY=x\ntwo"\nMEDIA_API_KEY=old-key\n');
    await expect(planEnvFile(file, KEYS)).rejects.toMatchObject({ code: 'env-unreadable' });
  });

  it.each(['a#b$c{d}', `it's`, 'a"b\'c', '$HOME', 'plain+/=', '`x`'])(
    'writes %s as its reader takes it back',
    async (value) => {
      const { text } = await planEnvFile('/nowhere/.env', new Map([['K', new Secret(value)]]));
      expect(parseEnv(text).K).toBe(value);
    },
  );

  it('refuses what cannot be written', async () => {
    const all = new Map([['K', new Secret(`'"\``)]]);
    await expect(planEnvFile('/nowhere/.env', all)).rejects.toMatchObject({ code: 'env-value' });
  });
});

describe('workflows', () => {
  it('start at a minute of their own', () => {
    const { text } = workflowFor('github', { ...EXAMPLE, url: 'https://a.example' }, PROJECT);
    expect(parse(text).on.schedule).toEqual([{ cron: `${minuteOf('https://a.example')} 3 * * *` }]);
  });

  it('are written for the host and the package manager of the project', async () => {
    await using folder = await temporaryFolder();
    await writeFile(path.join(folder.path, 'package.json'), '{"scripts":{"deploy":"rsync"}}');
    await writeFile(path.join(folder.path, 'pnpm-lock.yaml'), '');
    const files = await planFiles(folder.path, { ...EXAMPLE, host: 'netlify' }, KEYS);
    const project: Project = { manager: 'pnpm', engines: false, taken: ['deploy'] };
    expect(files.at(-1)).toMatchObject(
      workflowFor('github', { ...EXAMPLE, host: 'netlify' }, project),
    );
  });

  it('spreads sites over the hour', () => {
    const urls = Array.from({ length: 200 }, (_, index) => `https://${index}.example`);
    const minutes = new Set(urls.map(minuteOf));
    expect(minutes.size).toBeGreaterThan(40);
    expect(Math.max(...minutes)).toBeLessThan(60);
  });
});

describe('writing', () => {
  it('plans before it writes, keeps the keys to their owner, and sees what is somebody’s own', async () => {
    await using folder = await temporaryFolder();
    const gitlab: Answers = { ...EXAMPLE, ci: 'none', title: 'Ours' };
    const files = await planFiles(folder.path, gitlab, KEYS);
    expect(lossesOf(files)).toEqual([]);
    await writeProjectFiles(folder.path, files);
    expect((await stat(path.join(folder.path, '.env'))).mode & 0o777).toBe(0o600);
    const again = await planFiles(folder.path, gitlab, KEYS);
    expect(again.map(({ isUnchanged }) => isUnchanged)).toEqual([true, true]);
    const other = await planFiles(folder.path, { ...gitlab, title: 'Theirs', host: 's3' }, KEYS);
    expect(lossesOf(other)).toEqual(['site.config.ts', 'DEPLOY_TO in .env']);
  });
});

describe('what a deploy from this machine needs', () => {
  const envFor = async (root: string, host: string) => {
    const answers: Answers = { ...EXAMPLE, ci: 'none', title: 'Ours', host };
    const files = await planFiles(root, answers, KEYS);
    await writeProjectFiles(root, files);
    expect(lossesOf(files).filter((loss) => !loss.includes('site.config.ts'))).toEqual([]);
    return readFile(path.join(root, '.env'), 'utf8');
  };

  it.each(HOSTS.filter(({ form }) => form === 'thin').map(({ id }) => id))(
    '%s: has an empty line in .env for everything',
    async (host) => {
      await using folder = await temporaryFolder();
      const text = await envFor(folder.path, host);
      const empty = Object.entries(parseEnv(text)).filter(([, value]) => value === '');
      expect(empty.map(([name]) => name).sort()).toEqual(settingNames(host).sort());
      expect(settingNames(host).length).toBeGreaterThan(0);
    },
  );

  it('stays as somebody filled it in', async () => {
    await using folder = await temporaryFolder();
    const theirs = 'NETLIFY_SITE_ID=ours\nDEPLOY_TO=netlify\n';
    await writeFile(path.join(folder.path, '.env'), theirs);
    const text = await envFor(folder.path, 'netlify');
    expect(text).toBe(`${theirs}MEDIA_API_KEY=sample-media-key\nNETLIFY_AUTH_TOKEN=\n`);
  });

  it.each(['github', 'cloudflare', 'none'])(
    '%s: nothing, nobody deploys from here',
    async (host) => {
      await using folder = await temporaryFolder();
      const names = Object.keys(parseEnv(await envFor(folder.path, host))).sort();
      expect(names).toEqual(['DEPLOY_TO', 'MEDIA_API_KEY']);
    },
  );
});

describe('answers', () => {
  it.each([
    ['Northgate Cars', 'northgate-cars'],
    ['Müller & Söhne’s', 'mueller-soehnes'],
    ['Café Électrique', 'cafe-electrique'],
    ['日本', 'dealer-7'],
    [`${'A'.repeat(59)} b`, 'a'.repeat(59)],
  ])('%s becomes %s in addresses', (name, slug) => {
    expect(slugOf(name, 7)).toBe(slug);
  });

  const given = { service: 'https://m.example', url: 'https://c.example', dealer: ['7=Cars'] };
  it.each([
    [{}, '--service, --url, --dealer'],
    [{ ...given, url: undefined }, '--url'],
    [{ ...given, dealer: ['Cars'] }, 'ID=NAME'],
    [{ ...given, dealer: ['7=Cars', '7=Other'] }, 'same id'],
    [{ ...given, dealer: ['7=Cars', '8=cars'] }, 'same address'],
    [{ ...given, service: 'http://m.example' }, 'https'],
    [{ ...given, locale: 'x_y' }, '--locale'],
    [{ ...given, account: ['a=b'] }, 'NAME=CUSTOMER/PATH'],
    [{ ...given, account: ['a/b=c/d'] }, '--account (accounts.0.name)'],
    [{ ...given, account: ['a=b/c', 'a=d/e'] }, 'same name'],
    [{ ...given, 'picture-host': ['https://x'] }, '--picture-host'],
  ])('%o is told as %s', (flags, text) => {
    expect(() => answersFromFlags(flags)).toThrow(text);
  });

  it('has GitHub rebuild what nobody else does, and a folder its own machine', () => {
    expect(answersFromFlags({ ...given, host: 'netlify' }).ci).toBe('github');
    expect(answersFromFlags({ ...given, host: 'folder' }).ci).toBe('none');
    expect(answersFromFlags({ ...given, host: 'folder', ci: 'gitlab' }).ci).toBe('gitlab');
    expect(answersFromFlags({ ...given, host: 'gitlab' }).ci).toBe('gitlab');
    expect(answersFromFlags({ host: 'gitlab' }, EXAMPLE).ci).toBe('gitlab');
    expect(() => answersFromFlags({ ...given, host: 'github', ci: 'gitlab' })).toThrow(
      'only --ci github can deploy to --host github',
    );
  });

  it('gives each dealer a variable of its own where that is asked for', () => {
    const { dealers } = answersFromFlags({ ...given, 'key-per-dealer': true });
    expect(dealers[0]?.apiKeyEnv).toBe('MEDIA_API_KEY_7');
  });
});
