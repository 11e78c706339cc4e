import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { settingNames } from '../../../src/config/deploy-settings.ts';
import { HOSTS } from '../../../src/config/hosts.ts';
import { Secret } from '../../../src/config/secret.ts';
import { planAddedSite } from '../../../src/setup/init/add-site.ts';
import { type Answers, answersFromFlags } from '../../../src/setup/init/answers.ts';
import { configFile, fileWithDealers } from '../../../src/setup/init/config-file.ts';
import { readExisting } from '../../../src/setup/init/existing.ts';
import { lossesOf, planFiles, writeProjectFiles } from '../../../src/setup/init/write.ts';
import type { Project } from '../../../src/setup/project.ts';
import { minuteOf, workflowFor } from '../../../src/setup/workflow.ts';
import { EXAMPLE, exampleWith, PROJECT } from '../../support/example-answers.ts';
import { smallDisk, tempFolder } from '../../support/temp-folder.ts';

const DEFINE = pathToFileURL(path.resolve('src/config/define.ts')).href;
const KEYS = new Map([['MEDIA_API_KEY', new Secret('sample-media-key')]]);
const NONE: Answers = exampleWith({ title: 'Ours' }, { ci: 'none' });

/** Folder of the project. */
let root: string;

beforeEach(async () => {
  root = path.join(tempFolder(), 'project');
  await mkdir(root);
});

const at = (file: string) => path.join(root, file);
const read = (file: string) => readFile(at(file), 'utf8');
const plan = (answers: Answers, existing?: Answers) => planFiles(root, answers, KEYS, existing);
const write = async (answers: Answers) => writeProjectFiles(root, await plan(answers));
/** Writes a configuration that this checkout can load. */
const writeConfig = (text: string) =>
  writeFile(at('site.config.ts'), text.replace('vehicle-media-site/config', DEFINE));

describe('site.config.ts', () => {
  const strange: Answers = {
    ...exampleWith({ title: `Bob's "best" \\ \`cars\` \${x} // */ end` }),
    dealers: [
      { id: 1, name: `O'Neill & Söhne`, slug: 'one', apiKeyEnv: 'MEDIA_API_KEY' },
      { id: 2, name: '</script>', slug: 'two', apiKeyEnv: 'B_KEY', contact: { phone: '01632 9' } },
    ],
    accounts: [{ name: 'a_b', customerId: `it's`, pathId: 'a%2Fb', apiKeyEnv: 'NORTH_KEY' }],
    media: { hosts: ['a.example', 'b.example:8080'] },
  };
  strange.service = {
    ...strange.service,
    fieldNames: { hostedVideo: 'tube', socialClicks: 'AClicks', searchClicks: `B'Clicks` },
  };

  it.each([
    ['the example', EXAMPLE],
    ['names that are hard to write', strange],
  ])('has the answers, which init can read: %s', async (_, answers) => {
    await writeConfig(configFile(answers));
    expect(await readExisting(root, {})).toEqual({ ...answers, ci: 'none', host: 'none' });
    await mkdir(at('.github/workflows'), { recursive: true });
    await writeFile(at('.github/workflows/rebuild.yml'), '');
    expect(await readExisting(root, {})).toMatchObject({ ci: 'github' });
  });

  it('of another site comes with a workflow only if the project has one', async () => {
    const flags = { 'add-site': 'south', url: 'https://south.test', dealer: ['7=South'] };
    const planned = (ci: 'none' | 'github', other = {}) =>
      planAddedSite(root, { ...flags, ...other } as never, { ...EXAMPLE, ci, host: 'netlify' });
    expect((await planned('none')).map(({ file }) => file)).toEqual(['sites/south.config.ts']);
    const files = await planned('github');
    const workflow = '.github/workflows/sites.yml';
    expect(files.map(({ file }) => file)).toEqual(['sites/south.config.ts', workflow]);
    // A workflow that the user edited gets the key of the next site in both jobs.
    await writeProjectFiles(root, files);
    await writeFile(at(workflow), `${files[1]?.text}# mine\n`);
    const next = await planned('github', { 'add-site': 'north', 'key-per-dealer': true });
    expect(lossesOf(next)).toEqual([]);
    const key = /^ {10}MEDIA_API_KEY_7: \$\{\{ secrets\.MEDIA_API_KEY_7 \}\}\n(?= +SITE_SECRET)/gm;
    expect(next[1]?.text.match(key)).toHaveLength(3);
    expect(next[1]?.text.replace(key, '')).toBe(`${files[1]?.text}# mine\n`);
    // A dealer of the project keeps its URLs.
    const [moved] = await planned('none', { 'add-site': 'moved', dealer: ['7001=New Name'] });
    expect(moved?.text).toMatch(/name: 'New Name',\s+slug: 'northgate'/);
  });

  it('is optional, and is never replaced because of a mistake', async () => {
    expect(await readExisting(root, {})).toBeUndefined();
    await writeConfig(configFile(EXAMPLE).replace('title:', 'titel:'));
    await expect(readExisting(root, {})).rejects.toThrow('site.titel');
  });

  it('is unchanged if it has the answers already', async () => {
    await writeFile(at('site.config.ts'), `// mine\n${configFile(NONE)}`);
    const files = await plan(NONE, structuredClone(NONE));
    expect(lossesOf(files)).toEqual([]);
    expect(files[0]).toMatchObject({ isUnchanged: true });
    expect(lossesOf(await plan({ ...NONE, media: { hosts: [] } }, NONE))).toEqual([
      'site.config.ts',
    ]);
  });
});

describe('adding a dealer', () => {
  const ADDED = [
    {
      id: 7002,
      name: 'Two Cars',
      slug: 'two',
      apiKeyEnv: 'MEDIA_API_KEY',
      contact: { phone: '01632 960001' },
    },
  ];
  /** The configuration from init without the import, which an empty folder cannot resolve. */
  const plain = configFile(EXAMPLE)
    .replace(/^import .*\n/m, '')
    .replace('defineConfig(', '')
    .replace(/\}\);\n$/, '} satisfies object;\n');

  it.each([
    ['the file that init writes', plain],
    ['an empty list on one line', 'export default { dealers: [] };\n'],
    ['a dealer on one line', 'export default { dealers: [{ id: 1, name: "A", slug: "a" }] };\n'],
    [
      'comments, a comma and types',
      'const one: string = "a";\nexport default {\n  dealers: [\n    // first\n    { id: 1, name: "A", slug: one } as object, // of [all]\n    // more follow,\n  ],\n} satisfies object;\n',
    ],
    ['a list that ends with others', 'const more = [];\nexport default { dealers: [...more] };\n'],
    ['a list from elsewhere', 'const dealers = [];\nexport default { dealers };\n'],
    ['a comment before the comma', 'export default { dealers: [{ id: 1 } /* a */ , ] };\n'],
    ['line breaks of Windows', plain.replaceAll('\n', '\r\n')],
  ])('to %s', async (_, text) => {
    await writeFile(at('site.config.ts'), text);
    const next = await fileWithDealers(at('site.config.ts'), text, ADDED);
    // No former text is lost, except white space before the bracket.
    let from = 0;
    for (const line of text.split(/\s+/).filter((part) => !/^[\]},; ]*$/.test(part))) {
      const found = next.indexOf(line.replace(/[\]};,]+$/, ''), from);
      expect(found, line).toBeGreaterThanOrEqual(from);
      from = found;
    }
    expect(next).toContain("contact: { phone: '01632 960001' }");
    if (text.includes('\r\n')) expect(next.replaceAll('\r\n', '')).not.toContain('\n');
    expect(await readdir(root)).toEqual(['site.config.ts']);
    expect(await read('site.config.ts')).toBe(text);
  });

  it.each([
    ['a computed list', 'export default { dealers: [1].map(() => ({ id: 1 })) };\n'],
    ['a list that is cut later', 'export default { dealers: [{ id: 1 }].slice(0, 1) };\n'],
  ])('is left to the user, with lines to paste, for %s', async (_, text) => {
    await writeFile(at('site.config.ts'), text);
    await expect(fileWithDealers(at('site.config.ts'), text, ADDED)).rejects.toMatchObject({
      code: 'init-add-dealer',
      exitCode: 2,
      fix: expect.stringContaining("      id: 7002,\n      name: 'Two Cars',\n"),
    });
    expect(await readdir(root)).toEqual(['site.config.ts']);
  });

  it('reports a full disk', async (context) => {
    using disk = smallDisk(root, 16);
    if (!disk) return context.skip();
    await writeFile(at('site.config.ts'), plain);
    await writeFile(at('fill'), Buffer.alloc(100_000)).catch(() => {});
    const adding = fileWithDealers(at('site.config.ts'), plain, ADDED);
    await expect(adding).rejects.toThrow('ENOSPC');
    expect(await readdir(root)).toEqual(['fill', 'site.config.ts']);
  });

  it('by --add-dealer only changes the list, and the workflow only for a new key', async () => {
    await writeFile(at('site.config.ts'), `${plain}// mine\n`);
    const flags = { 'add-dealer': ['7002=Two Cars'], phone: ['7002=01632 960001'] };
    const { file, text } = workflowFor('github', EXAMPLE, { ...PROJECT, engines: false });
    await mkdir(at('.github/workflows'), { recursive: true });
    await writeFile(at(file), `${text}# mine\n`);
    const files = await plan(answersFromFlags(flags, EXAMPLE), EXAMPLE);
    expect(lossesOf(files)).toEqual([]);
    expect(files.map(({ isUnchanged }) => isUnchanged)).toEqual([false, false, true]);
    expect(files[0]?.text).toMatch(/id: 7002,[\s\S]*\/\/ mine\n$/);
    const perDealer = { 'add-dealer': ['7002=Two'], 'key-per-dealer': true };
    const separateKeys = await plan(answersFromFlags(perDealer, EXAMPLE), EXAMPLE);
    expect(lossesOf(separateKeys)).toEqual([]);
    expect(separateKeys[0]?.text).toContain("apiKeyEnv: 'MEDIA_API_KEY_7002'");
    expect(separateKeys[2]?.text).toMatch(/secrets\.MEDIA_API_KEY_7002 [\s\S]*# mine\n$/);
  });
});

describe('the workflow', () => {
  it('starts at a different minute for each project', () => {
    const { text } = workflowFor('github', exampleWith({ url: 'https://a.example' }), PROJECT);
    expect(text).toContain(`- cron: "${minuteOf('https://a.example')} 3 * * *"`);
    const urls = Array.from({ length: 200 }, (_, index) => `https://${index}.example`);
    const minutes = new Set(urls.map(minuteOf));
    expect(minutes.size).toBeGreaterThan(40);
    expect(Math.max(...minutes)).toBeLessThan(60);
    // CI services are busy at full hours.
    expect(Math.min(...minutes)).toBeGreaterThan(0);
  });

  it('is written for the host and the package manager of the project', async () => {
    await writeFile(at('package.json'), '{"scripts":{"deploy":"rsync"}}');
    await writeFile(at('pnpm-lock.yaml'), '');
    const answers: Answers = { ...EXAMPLE, host: 'netlify' };
    const project: Project = { manager: 'pnpm', engines: false, taken: ['deploy'] };
    expect((await plan(answers)).at(-1)).toMatchObject(workflowFor('github', answers, project));
  });
});

describe('the variables for a deploy from this machine', () => {
  const env = async (host: string) => {
    const files = await plan({ ...NONE, host });
    expect(lossesOf(files)).toEqual([]);
    return files[1]?.text ?? '';
  };

  it.each(HOSTS.map(({ id, form }) => [id, form] as const))(
    '%s: have empty lines in .env if deploys run from here',
    async (host, form) => {
      const empty = [...(await env(host)).matchAll(/^(\w+)=$/gm)].map(([, name]) => name);
      expect(empty.sort()).toEqual(form === 'thin' ? settingNames(host).sort() : []);
    },
  );

  it.each([
    ['', 'utf8', '\n'],
    ['\ufeff', 'utf8', '\r\n'],
    ['\ufeff', 'utf16le', '\r\n'],
  ] as const)(
    'keep existing values, also of Windows programs: %j %s %j',
    async (mark, encoding, end) => {
      const lines = ['NETLIFY_SITE_ID=ours', 'DEPLOY_TO=netlify', ''];
      await writeFile(at('.env'), mark + lines.join(end), encoding);
      const added = ['MEDIA_API_KEY=sample-media-key', 'NETLIFY_AUTH_TOKEN=', ''];
      expect(await env('netlify')).toBe(lines.join(end) + added.join(end));
    },
  );
});

describe('files of the user', () => {
  const refused = { code: 'init-not-writable', exitCode: 2 };

  it.each(['site.config.ts', '.env'])(
    '%s: links, folders and write-protected files are kept, and nothing is written',
    async (file) => {
      const userFile = at('../theirs');
      await writeFile(userFile, 'MINE=1\n');
      await chmod(userFile, 0o644);
      for (const target of [userFile, at('nowhere')]) {
        await symlink(target, at(file));
        await expect(write(NONE)).rejects.toMatchObject(refused);
        expect(await readdir(root)).toEqual([file]);
        expect((await lstat(at(file))).isSymbolicLink()).toBe(true);
        await rm(at(file));
      }
      expect(await readFile(userFile, 'utf8')).toBe('MINE=1\n');
      expect((await stat(userFile)).mode & 0o777).toBe(0o644);
      await writeFile(at(file), '# mine\n', { mode: 0o444 });
      const fix = expect.stringContaining(`chmod u+w ${file}`);
      await expect(write(NONE)).rejects.toMatchObject({ ...refused, fix });
      expect(await read(file)).toBe('# mine\n');
      await rm(at(file));
      await mkdir(at(file));
      await expect(write(NONE)).rejects.toMatchObject(refused);
      expect(await readdir(root)).toEqual([file]);
    },
  );

  it('a linked folder is not written to', async () => {
    await mkdir(at('../shared/workflows'), { recursive: true });
    await symlink('../shared', at('.github'));
    await expect(write(EXAMPLE)).rejects.toMatchObject(refused);
    expect(await readdir(root)).toEqual(['.github']);
    expect(await readdir(at('../shared/workflows'))).toEqual([]);
  });

  it('a linked .env with all variables is used unchanged', async () => {
    const userFile = at('../theirs');
    await writeFile(userFile, 'MEDIA_API_KEY=sample-media-key\nDEPLOY_TO=none\n');
    await chmod(userFile, 0o644);
    await symlink(userFile, at('.env'));
    expect(await write(NONE)).toEqual(['site.config.ts', '.env (unchanged)']);
    expect((await lstat(at('.env'))).isSymbolicLink()).toBe(true);
    expect((await stat(userFile)).mode & 0o777).toBe(0o644);
  });

  it('are planned before they are written; only the owner can read .env', async () => {
    const notes = ['site.config.ts', '.env'];
    for (const end of ['', ' (unchanged)']) {
      expect(await write(NONE)).toEqual(notes.map((note) => note + end));
      expect((await stat(at('.env'))).mode & 0o777).toBe(0o600);
      await chmod(at('.env'), 0o644);
    }
    expect((await plan(NONE)).map(({ isUnchanged }) => isUnchanged)).toEqual([true, true]);
    const other = await plan(exampleWith({ title: 'Theirs' }, { ci: 'none', host: 's3' }));
    expect(lossesOf(other)).toEqual(['site.config.ts', 'DEPLOY_TO in .env']);
  });

  it('are backed up before they are replaced, and every backup is kept', async () => {
    const answers = ['Ours', 'Second', 'Third'].map((title) =>
      exampleWith({ title }, { ci: 'none' }),
    );
    await writeFile(at('site.config.ts'), '// the first\n');
    for (const answer of answers) await write(answer);
    const copies = ['.former', '.former-2', '.former-3'].map((end) => `site.config.ts${end}`);
    expect(await Promise.all(copies.map(read))).toEqual([
      '// the first\n',
      ...answers.slice(0, 2).map(configFile),
    ]);
  });

  it('are equal despite the line breaks of git', async () => {
    const crlf = (text: string) => text.replaceAll('\n', '\r\n');
    const { file, text } = workflowFor('github', EXAMPLE, { ...PROJECT, engines: false });
    await mkdir(at('.github/workflows'), { recursive: true });
    await writeFile(at(file), crlf(text));
    await writeFile(at('site.config.ts'), crlf(configFile(EXAMPLE)));
    const files = await plan(EXAMPLE);
    expect(files.map(({ isUnchanged }) => isUnchanged)).toEqual([true, false, true]);
    await writeProjectFiles(root, files);
    expect(await read(file)).toBe(crlf(text));
    await writeFile(at(file), crlf(`${text}# mine\n`));
    expect(lossesOf(await plan(EXAMPLE))).toEqual([file]);
  });
});
