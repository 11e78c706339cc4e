import { execFile } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseEnv, promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { settingNames } from '../../../src/config/deploy-settings.ts';
import { HOSTS } from '../../../src/config/hosts.ts';
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
import { readExisting } from '../../../src/setup/init/existing.ts';
import { nextSteps, type Pushing } from '../../../src/setup/init/next-steps.ts';
import { repositoryOf } from '../../../src/setup/init/repository.ts';
import { WORKFLOWS, workflowFor } from '../../../src/setup/init/workflow.ts';
import { lossesOf, planFiles, writeProjectFiles } from '../../../src/setup/init/write.ts';
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
    await writeProjectFiles(folder.path, files);
    expect((await stat(path.join(folder.path, '.env'))).mode & 0o777).toBe(0o600);
    const again = await planFiles(folder.path, gitlab, KEYS);
    expect(again.map(({ state }) => state)).toEqual(['unchanged', 'unchanged']);
    const other = await planFiles(folder.path, { ...gitlab, title: 'Theirs', host: 's3' }, KEYS);
    expect(lossesOf(other)).toEqual(['site.config.ts', 'DEPLOY_TO in .env']);
    await writeFile(path.join(folder.path, 'site.config.ts'), configFile(EXAMPLE));
    expect(lossesOf(await planFiles(folder.path, gitlab, KEYS))).toEqual([]);
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

describe('files that are somebody’s', () => {
  const none: Answers = { ...EXAMPLE, ci: 'none', title: 'Ours' };
  const write = async (root: string, answers: Answers, existing?: Answers) =>
    writeProjectFiles(root, await planFiles(root, answers, KEYS, existing));
  const textsOf = async (folder: string, files: readonly string[]) =>
    Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));

  it.each(['site.config.ts', '.env'])(
    'a symbolic link at %s stays, and what it leads to',
    async (file) => {
      await using folder = await temporaryFolder();
      const [root, theirs] = [path.join(folder.path, 'project'), path.join(folder.path, 'theirs')];
      await mkdir(root);
      await writeFile(theirs, 'MINE=1\n', { mode: 0o644 });
      await symlink(theirs, path.join(root, file));
      await expect(write(root, none)).rejects.toMatchObject({
        code: 'init-not-writable',
        exitCode: 2,
      });
      expect(await readdir(root)).toEqual([file]);
      expect((await lstat(path.join(root, file))).isSymbolicLink()).toBe(true);
      expect(await textsOf(folder.path, ['theirs'])).toEqual(['MINE=1\n']);
      expect((await stat(theirs)).mode & 0o777).toBe(0o644);
    },
  );

  it.each(['site.config.ts', '.env'])('a link at %s that leads nowhere stays', async (file) => {
    await using folder = await temporaryFolder();
    await symlink(path.join(folder.path, 'gone'), path.join(folder.path, file));
    await expect(write(folder.path, none)).rejects.toMatchObject({ code: 'init-not-writable' });
    expect(await readdir(folder.path)).toEqual([file]);
  });

  it('a linked folder is not written through', async () => {
    await using folder = await temporaryFolder();
    const root = path.join(folder.path, 'project');
    await mkdir(path.join(root, 'ci'), { recursive: true });
    await writeFile(path.join(root, 'ci/github.yml'), await read('ci/github.yml'));
    await mkdir(path.join(folder.path, 'shared/workflows'), { recursive: true });
    await symlink('../shared', path.join(root, '.github'));
    await expect(write(root, { ...none, ci: 'github' })).rejects.toMatchObject({
      code: 'init-not-writable',
    });
    expect((await readdir(root)).sort()).toEqual(['.github', 'ci']);
    expect(await readdir(path.join(folder.path, 'shared/workflows'))).toEqual([]);
  });

  it('a linked .env that has everything already is used as it is', async () => {
    await using folder = await temporaryFolder();
    const [root, theirs] = [path.join(folder.path, 'project'), path.join(folder.path, 'theirs')];
    await mkdir(root);
    await writeFile(theirs, 'MEDIA_API_KEY=sample-media-key\nDEPLOY_TO=none\n', { mode: 0o644 });
    await symlink(theirs, path.join(root, '.env'));
    expect(await write(root, none)).toEqual(['site.config.ts', '.env (as it was)']);
    expect((await lstat(path.join(root, '.env'))).isSymbolicLink()).toBe(true);
    expect((await stat(theirs)).mode & 0o777).toBe(0o644);
  });

  it.each(['site.config.ts', '.env'])('a write-protected %s is not replaced', async (file) => {
    await using folder = await temporaryFolder();
    await writeFile(path.join(folder.path, file), '# mine\n', { mode: 0o444 });
    await expect(write(folder.path, none)).rejects.toMatchObject({
      code: 'init-not-writable',
      fix: expect.stringContaining(`chmod u+w ${file}`),
    });
    expect(await readdir(folder.path)).toEqual([file]);
    expect(await textsOf(folder.path, [file])).toEqual(['# mine\n']);
  });

  it.each(['site.config.ts', '.env'])('a folder at %s is told', async (file) => {
    await using folder = await temporaryFolder();
    await mkdir(path.join(folder.path, file));
    await expect(write(folder.path, none)).rejects.toMatchObject({ code: 'init-not-writable' });
    expect(await readdir(folder.path)).toEqual([file]);
  });

  it('an edited file that is replaced all the same leaves a copy, and every copy stays', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'site.config.ts');
    const answers = [none, { ...none, title: 'Second' }, { ...none, title: 'Third' }];
    await writeFile(file, '// the first\n');
    for (const one of answers) await write(folder.path, one);
    const copies = ['.former', '.former-2', '.former-3'].map((end) => `site.config.ts${end}`);
    expect(await textsOf(folder.path, copies)).toEqual([
      '// the first\n',
      ...answers.slice(0, 2).map(configFile),
    ]);
  });

  it('a configuration that says already what was answered stays, with all that it says besides', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'site.config.ts');
    await writeFile(file, `// mine\n${configFile(none)}`);
    const files = await planFiles(folder.path, none, KEYS, structuredClone(none));
    expect(lossesOf(files)).toEqual([]);
    await writeProjectFiles(folder.path, files);
    expect(await readFile(file, 'utf8')).toBe(`// mine\n${configFile(none)}`);
    const other = await planFiles(folder.path, { ...none, locale: 'de-DE' }, KEYS, none);
    expect(lossesOf(other)).toEqual(['site.config.ts']);
  });

  it('an unedited file of another system’s line breaks is nobody’s', async () => {
    await using folder = await temporaryFolder();
    const crlf = (text: string) => text.replaceAll('\n', '\r\n');
    const template = crlf(await read('ci/github.yml'));
    await mkdir(path.join(folder.path, 'ci'));
    await mkdir(path.join(folder.path, '.github/workflows'), { recursive: true });
    await writeFile(path.join(folder.path, 'ci/github.yml'), template);
    await writeFile(path.join(folder.path, '.github/workflows/rebuild.yml'), template);
    await writeFile(path.join(folder.path, 'site.config.ts'), crlf(configFile(EXAMPLE)));
    const answers: Answers = {
      ...none,
      ci: 'github',
      dealers: [{ ...EXAMPLE.dealers[0], apiKeyEnv: 'MEDIA_API_KEY_7001' }] as Answers['dealers'],
    };
    const files = await planFiles(folder.path, answers, KEYS);
    expect(lossesOf(files)).toEqual([]);
    await writeProjectFiles(folder.path, files);
    const [workflow] = await textsOf(folder.path, ['.github/workflows/rebuild.yml']);
    expect(workflow).toContain('secrets.MEDIA_API_KEY_7001 }}');
    expect((await readdir(folder.path)).sort()).toEqual([
      '.env',
      '.github',
      'ci',
      'site.config.ts',
    ]);
    await writeFile(path.join(folder.path, 'site.config.ts'), crlf(configFile(answers)));
    const again = await planFiles(folder.path, answers, KEYS);
    expect(again.map(({ state }) => state)).toEqual(['unchanged', 'unchanged', 'unchanged']);
  });
});

describe('what a project says already', () => {
  const written: Answers = {
    ...EXAMPLE,
    title: 'Ours',
    dealers: [{ id: 7, name: 'Seven', slug: 'the-seventh', apiKeyEnv: 'SEVENTH_KEY' }],
    accounts: [{ name: 'north', customerId: 'C', pathId: '1', apiKeyEnv: 'NORTH_KEY' }],
    clicks: { socialClicks: 'AClicks' },
  };
  const writeConfig = (root: string, text: string) => {
    const define = pathToFileURL(path.join(ROOT, 'src/config/define.ts')).href;
    return writeFile(
      path.join(root, 'site.config.ts'),
      text.replace('./src/config/define.ts', define),
    );
  };

  it('is what init wrote, or a person', async () => {
    await using folder = await temporaryFolder();
    await writeConfig(folder.path, configFile(written));
    const { answers, problem } = await readExisting(folder.path);
    expect(problem).toBeUndefined();
    expect(answers).toEqual(written);
    expect(toConfig(answersFromFlags({}, answers))).toEqual(toConfig(written));
    const changed = answersFromFlags({ dealer: ['7=Other name', '8=New'], host: 's3' }, answers);
    expect(changed.dealers.map(({ slug, apiKeyEnv }) => [slug, apiKeyEnv])).toEqual([
      ['the-seventh', 'SEVENTH_KEY'],
      ['new', 'MEDIA_API_KEY'],
    ]);
  });

  it.each([
    ['nothing', undefined],
    ['the example', configFile(EXAMPLE)],
    ['the example with other line breaks', configFile(EXAMPLE).replaceAll('\n', '\r\n')],
  ])('is nothing where there is %s', async (_, text) => {
    await using folder = await temporaryFolder();
    if (text !== undefined) await writeFile(path.join(folder.path, 'site.config.ts'), text);
    expect(await readExisting(folder.path)).toMatchObject({
      answers: undefined,
      problem: undefined,
    });
  });

  it('is told where it cannot be read', async () => {
    await using folder = await temporaryFolder();
    await writeConfig(folder.path, configFile(written).replace('title:', 'titel:'));
    const { answers, problem } = await readExisting(folder.path);
    expect(answers).toBeUndefined();
    expect(problem?.message).toContain('site.titel');
  });
});

describe('where git pushes to', () => {
  const git = (cwd: string, ...args: string[]) => promisify(execFile)('git', args, { cwd });
  const answers: Answers = { ...EXAMPLE, host: 'netlify' };
  const files = ['site.config.ts', '.github/workflows/rebuild.yml'];

  it('is read without the secrets that an address may hold', async () => {
    await using folder = await temporaryFolder();
    expect(await repositoryOf(folder.path)).toBeUndefined();
    await git(folder.path, 'init', '--quiet');
    expect(await repositoryOf(folder.path)).toEqual({ remote: undefined, address: undefined });
    await git(folder.path, 'remote', 'add', 'other', 'https://me:token@git.test/other.git');
    expect(await repositoryOf(folder.path)).toEqual({
      remote: 'other',
      address: 'https://git.test/other.git',
    });
    await git(folder.path, 'remote', 'add', 'origin', 'git@git.test:theirs.git');
    expect(await repositoryOf(folder.path)).toEqual({
      remote: 'origin',
      address: 'git@git.test:theirs.git',
    });
    const below = path.join(folder.path, 'below');
    await mkdir(below);
    expect(await repositoryOf(below)).toBeUndefined();
  });

  it.each<[string, Pushing, string[], string[]]>([
    [
      'a repository of one’s own',
      { repository: { remote: 'origin', address: 'X' }, own: true, files },
      ['git push'],
      ['remote add', 'make an empty one'],
    ],
    [
      'somebody else’s',
      { repository: { remote: 'origin', address: 'X' }, own: false, files },
      ['git remote rename origin upstream', 'git remote add origin ITS-ADDRESS', 'HEAD:main'],
      ['git push\n', 'git init'],
    ],
    [
      'one that nobody was asked about',
      { repository: { remote: 'origin', address: 'X' }, own: undefined, files },
      [
        'git pushes to X. If that is a repository of your own:',
        'git push\n',
        'git remote rename origin upstream',
      ],
      ['git init'],
    ],
    [
      'nothing',
      { repository: { remote: undefined, address: undefined }, own: undefined, files },
      ['repository of your own', 'git remote add origin ITS-ADDRESS'],
      ['git remote rename', 'git init', 'git push\n'],
    ],
    [
      'no repository',
      { repository: undefined, own: undefined, files },
      ['git init --initial-branch main', 'git add --all', 'git remote add origin ITS-ADDRESS'],
      ['git remote rename', 'git push\n'],
    ],
  ])('%s: says how to push there', (_, pushing, wanted, unwanted) => {
    const text = `${nextSteps(answers, pushing).join('\n')}\n`;
    for (const line of wanted) expect(text).toContain(line);
    for (const line of unwanted) expect(text).not.toContain(line);
    expect(text.indexOf('git commit')).toBeGreaterThan(text.indexOf('git add'));
  });

  const nowhere = { repository: undefined, own: undefined, files };

  it('does not matter where nothing is rebuilt', () => {
    expect(nextSteps({ ...answers, ci: 'none' }, nowhere).join()).not.toContain('git');
  });

  it('does not matter where cron fills a folder', () => {
    const text = nextSteps({ ...answers, host: 'folder' }, nowhere).join('\n');
    expect(text).toContain(`    ${minuteOf(answers.url)} 3 * * * cd `);
    expect(text).toContain('npm run build -- --quiet && npm run deploy -- --quiet');
    expect(text).toContain('DEPLOY_FOLDER');
    expect(text).not.toContain('git push');
  });

  it.each(HOSTS.filter(({ id }) => id !== 'folder').map(({ id }) => id))(
    'names what %s needs besides',
    (host) => {
      const text = nextSteps({ ...answers, host }, nowhere).join('\n');
      for (const name of settingNames(host)) expect(text).toContain(name);
      expect(text).toContain(`DEPLOY_TO is ${host}`);
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
    [{ ...given, host: 'ftp' }, 'ftp'],
    [{ ...given, ci: 'jenkins' }, 'jenkins'],
    [{ ...given, 'picture-host': ['https://x'] }, '--picture-host'],
  ])('%o is told as %s', (flags, text) => {
    expect(() => answersFromFlags(flags)).toThrow(text);
  });

  it('has GitHub rebuild what nobody else does, and a folder its own machine', () => {
    expect(answersFromFlags({ ...given, host: 'netlify' }).ci).toBe('github');
    expect(answersFromFlags({ ...given, host: 'folder' }).ci).toBe('none');
    expect(answersFromFlags({ ...given, host: 'folder', ci: 'gitlab' }).ci).toBe('gitlab');
  });

  it('gives each dealer a variable of its own where that is asked for', () => {
    const { dealers } = answersFromFlags({ ...given, 'key-per-dealer': true });
    expect(dealers[0]?.apiKeyEnv).toBe('MEDIA_API_KEY_7');
  });
});
