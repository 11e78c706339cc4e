import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { shell } from '../support/checkout.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { answered, DOWN, ENTER } from '../support/person.ts';
import { projectOfCheckout } from '../support/project.ts';
import { runHere } from '../support/run-here.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 1, media: 'none' }));

describe('a project with only the history of sent videos', () => {
  it('turns an empty folder into a file of contacts and erases a person', async () => {
    const folder = tempFolder();
    const cwd = path.join(folder, 'history');
    await projectOfCheckout(cwd);
    /** The lines of the exported file. */
    const rowsOf = async ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      const [file = ''] = /\S+\.csv/.exec(stdout + stderr) ?? [];
      return (await readFile(path.resolve(cwd, file), 'utf8')).trim().split(/\r?\n/);
    };
    const run = (line: string, input = '') =>
      shell(`npx vehicle-media-site ${line}`, { cwd, input });
    const flags = `--history-only --service ${service.baseUrl} --account north=C-1001/1 --key-stdin`;
    const init = await run(`init ${flags}`, `${service.batchKey}\n`);
    expect(init, init.stderr).toMatchObject({ exitCode: 0 });
    expect(init.stdout).toContain('Written: site.config.ts, .env, .gitignore, README.md, package.');
    for (const text of [
      '[account-answers]',
      '"batches pull" can run',
      'batches -- pull',
      '3 * * *',
    ]) {
      expect(init.stdout).toContain(text);
    }
    expect(init.stdout).not.toMatch(/run build|DEPLOY_TO|SITE_SECRET|git push/);
    const config = await readFile(path.join(cwd, 'site.config.ts'), 'utf8');
    expect(config).not.toMatch(/\b(?:site|dealers|media|fieldNames): /);
    expect(await readFile(path.join(cwd, '.env'), 'utf8')).toMatch(
      new RegExp(`\\nBATCH_API_KEY=${service.batchKey}\\nBATCH_HASH_KEY=[\\w-]{43}\\n$`),
    );
    expect(await readdir(cwd)).not.toContain('theme');
    const again = await run('init --quiet');
    expect(again, again.stderr).toMatchObject({ exitCode: 0, stdout: '' });

    const pull = await run('batches pull');
    expect(pull, pull.stderr).toMatchObject({ exitCode: 0 });
    const exported =
      'batches export --format csv --profile hubspot-contacts --pii full --since last';
    const first = await run(exported);
    expect(first, first.stderr).toMatchObject({ exitCode: 0 });
    const [header, ...contacts] = await rowsOf(first);
    expect(header).toContain('video_last_sent');
    const contact = contacts.find((row) => row.includes('@')) ?? '';
    const [email = ''] = /[\w.+-]+@[\w.-]+/.exec(contact) ?? [];
    expect(email).not.toBe('');
    const forgotten = await run('batches forget --email -', `${email}\n`);
    expect(forgotten, forgotten.stderr).toMatchObject({ exitCode: 0 });
    const erased = await run(`${exported} --erasures`);
    expect(erased, erased.stderr).toMatchObject({ exitCode: 0 });
    const [, key = ''] = await rowsOf(erased);
    expect(key).not.toBe('');
    expect(contact).toContain(key.split(',')[0]);
    expect(key).not.toContain('@');
  }, 120_000);

  it('is set up by questions without any about a site', async () => {
    const { answers, keys, screen } = await answered([
      ['What is this project for?', `${DOWN}${ENTER}`],
      ['URL of the media service', `${service.baseUrl}${ENTER}`],
      ['Name of the account', `north${ENTER}`],
      ['API key for BATCH_API_KEY', `${service.batchKey}${ENTER}`],
      ['Its customerId', `C-1001${ENTER}`],
      ['Its pathId', `1${ENTER}`],
      ['Add another account?', 'n'],
    ]);
    expect(answers).toMatchObject({
      dealers: [],
      accounts: [{ name: 'north', customerId: 'C-1001', pathId: '1' }],
      ci: 'none',
      host: 'none',
    });
    expect([...keys.keys()]).toEqual(['BATCH_API_KEY']);
    expect(screen()).not.toMatch(/Title|dealer|rebuilt/);
  }, 30_000);

  it.each([
    ['--history-only', 'init-missing', '--service, --account'],
    [
      '--history-only --service https://m.test --account a=b/c --url https://c.test',
      'init-answer',
      '--url needs a site',
    ],
  ])('refuses %s', async (flags, code, text) => {
    const folder = tempFolder();
    await projectOfCheckout(folder);
    const ran = await runHere(['init', ...flags.split(' ')], { cwd: folder });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(`[${code}]`);
    expect(ran.stderr).toContain(text);
  });

  it('never replaces the settings of a site without --force', async () => {
    const folder = tempFolder();
    await projectOfCheckout(folder);
    const config = path.join(folder, 'site.config.ts');
    await writeFile(config, 'export default { service: { baseUrl: "https://m.test" } };\n');
    const flags = ['--history-only', '--service', service.baseUrl, '--account', 'north=C-1001/1'];
    const env = { BATCH_API_KEY: service.batchKey };
    const ran = await runHere(['init', ...flags], { cwd: folder, env });
    expect(ran.stderr).toContain('[init-overwrite]');
    expect(await readFile(config, 'utf8')).toContain('https://m.test');
  });
});
