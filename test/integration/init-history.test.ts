import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { shell } from '../support/checkout.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { answered, DOWN, ENTER, REST_OF_DEALER } from '../support/person.ts';
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
  });

  it("is set up by questions without any about a site, with the ids and the key of the vendor's request", async () => {
    const query = `customerId=C-1001&apiKey=${service.batchKey}&daysOfHistory=30`;
    const { answers, keys, screen } = await answered([
      ['What is this project for?', `${DOWN}${ENTER}`],
      [
        'URL of the media service',
        `${service.baseUrl}/PublicAPI/MyVideos/v1/cakes/1?${query}${ENTER}`,
      ],
      ['Name of the account', `north${ENTER}`],
      ['BATCH_API_KEY is the key of this request', ''],
      ['Its customerId', ENTER],
      ['Its pathId', ENTER],
      ['Add another account?', 'n'],
    ]);
    expect(answers).toMatchObject({
      dealers: [],
      accounts: [{ name: 'north', customerId: 'C-1001', pathId: '1' }],
      ci: 'none',
      host: 'none',
    });
    expect([...keys].map(([name, key]) => [name, key.reveal()])).toEqual([
      ['BATCH_API_KEY', service.batchKey],
    ]);
    expect(screen()).not.toMatch(/Title|dealer|rebuilt/);
  });

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
});

it("takes the address, key and dealer from the vendor's request, and completes addresses", async () => {
  const query = `apiKey=${service.mediaKey}&dealerId=7001`;
  const { answers, keys } = await answered([
    ['What is this project for?', ENTER],
    ['URL of the media service', `${service.baseUrl}/PublicAPI/GetMediaByDealer?${query}${ENTER}`],
    [`The address is ${service.baseUrl}`, ''],
    ['MEDIA_API_KEY is the key of this request', ''],
    ['Id of the dealer', ENTER],
    ['Name of the dealer', `One Cars${ENTER}`],
    ...REST_OF_DEALER,
    ['history of sent videos', 'n'],
    ['Title of the site', ENTER],
    ['URL at which visitors', `www.cars.test${ENTER}`],
    ['Language and region', `${'\u007f'.repeat(5)}fr-BE${ENTER}`],
    ['Time zone', ENTER],
    ['Where do you host the site?', ENTER],
    ['What rebuilds the site', ENTER],
  ]);
  expect(answers).toMatchObject({
    service: { baseUrl: service.baseUrl },
    site: { url: 'https://www.cars.test', timeZone: 'Europe/Brussels' },
    dealers: [{ id: 7001, name: 'One Cars' }],
  });
  expect(keys.get('MEDIA_API_KEY')?.reveal()).toBe(service.mediaKey);
});
