import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { type Answers, answersFromFlags, toConfig } from '../../../src/setup/init/answers.ts';
import { configFile } from '../../../src/setup/init/config-file.ts';
import { readExisting } from '../../../src/setup/init/existing.ts';
import { lossesOf, planFiles, writeProjectFiles } from '../../../src/setup/init/write.ts';
import { workflowFor } from '../../../src/setup/workflow/workflow.ts';
import { temporaryFolder } from '../../support/build.ts';
import { EXAMPLE, PROJECT } from '../../support/example-answers.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');

const KEYS = new Map([['MEDIA_API_KEY', new Secret('sample-media-key')]]);

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
    await mkdir(root);
    await mkdir(path.join(folder.path, 'shared/workflows'), { recursive: true });
    await symlink('../shared', path.join(root, '.github'));
    await expect(write(root, { ...none, ci: 'github' })).rejects.toMatchObject({
      code: 'init-not-writable',
    });
    expect((await readdir(root)).sort()).toEqual(['.github']);
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
    const answers: Answers = {
      ...none,
      ci: 'github',
      dealers: [{ ...EXAMPLE.dealers[0], apiKeyEnv: 'MEDIA_API_KEY_7001' }] as Answers['dealers'],
    };
    const { file, text } = workflowFor('github', answers, { ...PROJECT, engines: false });
    expect(text).toContain('secrets.MEDIA_API_KEY_7001 }}');
    await mkdir(path.join(folder.path, '.github/workflows'), { recursive: true });
    await writeFile(path.join(folder.path, file), crlf(text));
    const files = await planFiles(folder.path, answers, KEYS);
    expect(lossesOf(files)).toEqual([]);
    await writeProjectFiles(folder.path, files);
    expect(await textsOf(folder.path, [file])).toEqual([crlf(text)]);
    await writeFile(path.join(folder.path, file), crlf(`${text}# mine\n`));
    expect(lossesOf(await planFiles(folder.path, answers, KEYS))).toEqual([file]);
    await writeFile(path.join(folder.path, file), text);
    expect((await readdir(folder.path)).sort()).toEqual(['.env', '.github', 'site.config.ts']);
    await writeFile(path.join(folder.path, 'site.config.ts'), crlf(configFile(answers)));
    const again = await planFiles(folder.path, answers, KEYS);
    expect(again.map(({ isUnchanged }) => isUnchanged)).toEqual([true, true, true]);
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
      text.replace('vehicle-media-site/config', define),
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

  it('is nothing where there is nothing', async () => {
    await using folder = await temporaryFolder();
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
