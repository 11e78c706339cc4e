import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../src/config/load.ts';
import { Secret } from '../../../src/config/secret.ts';
import {
  type Answers,
  answersFromFlags,
  minuteOf,
  slugOf,
  toConfig,
} from '../../../src/setup/init/answers.ts';
import { configFile, EXAMPLE } from '../../../src/setup/init/config-file.ts';
import { planEnvFile } from '../../../src/setup/init/env-file.ts';
import { WORKFLOWS, workflowFor } from '../../../src/setup/init/workflow.ts';
import { lossesOf, planFiles, writeFiles } from '../../../src/setup/init/write.ts';
import { temporaryFolder } from '../../support/build.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const read = (file: string) => readFile(path.join(ROOT, file), 'utf8');
const KEYS = new Map([['MEDIA_API_KEY', new Secret('sample-media-key')]]);

describe('files of the repository that init replaces without asking', () => {
  it('site.config.ts is the example that init writes', async () => {
    expect(await read('site.config.ts')).toBe(configFile(EXAMPLE));
  });

  it('rebuild.yml is the template', async () => {
    expect(await read(WORKFLOWS.github.file)).toBe(await read(WORKFLOWS.github.template));
  });
});

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
    await writeFile(file, configFile(answers).replace('./src/config/define.ts', define));
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
  it.each(['github', 'gitlab'] as const)(
    '%s has one line per key and its own minute',
    async (ci) => {
      const dealers = ['A_KEY', 'B_KEY', 'A_KEY'].map((apiKeyEnv, id) => ({
        ...EXAMPLE.dealers[0],
        id,
        apiKeyEnv,
      })) as Answers['dealers'];
      const { text, shipped } = await workflowFor(ROOT, ci, { dealers, url: 'https://a.example' });
      expect(text).not.toContain('MEDIA_API_KEY');
      if (ci === 'gitlab') return;
      expect(text).toMatch(
        new RegExp(`cron: ['"]${minuteOf('https://a.example')} 3 \\* \\* \\*['"]`),
      );
      const uses = (shipped.match(/^ +MEDIA_API_KEY:/gm) ?? []).length;
      expect(uses).toBeGreaterThan(0);
      for (const key of ['A_KEY', 'B_KEY']) {
        const lines = text.match(new RegExp(`^ +${key}: \\$\\{\\{ secrets\\.${key} \\}\\}$`, 'gm'));
        expect(lines?.length).toBe(uses);
      }
    },
  );

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
    await writeFiles(folder.path, files);
    expect((await stat(path.join(folder.path, '.env'))).mode & 0o777).toBe(0o600);
    const again = await planFiles(folder.path, gitlab, KEYS);
    expect(again.map(({ state }) => state)).toEqual(['unchanged', 'unchanged']);
    const other = await planFiles(folder.path, { ...gitlab, title: 'Theirs', host: 's3' }, KEYS);
    expect(lossesOf(other)).toEqual(['site.config.ts', 'DEPLOY_TO in .env']);
    await writeFile(path.join(folder.path, 'site.config.ts'), configFile(EXAMPLE));
    expect(lossesOf(await planFiles(folder.path, gitlab, KEYS))).toEqual([]);
  });
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
    [{ ...given, host: 'ftp' }, 'ftp'],
    [{ ...given, ci: 'jenkins' }, 'jenkins'],
    [{ ...given, 'picture-host': ['https://x'] }, '--picture-host'],
  ])('%o is told as %s', (flags, text) => {
    expect(() => answersFromFlags(flags)).toThrow(text);
  });

  it('gives each dealer a variable of its own where that is asked for', () => {
    const { dealers } = answersFromFlags({ ...given, 'key-per-dealer': true });
    expect(dealers[0]?.apiKeyEnv).toBe('MEDIA_API_KEY_7');
  });
});
