import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { SITE_COMMANDS } from '../../src/cli/commands.ts';
import { canSign } from '../../src/config/environment.ts';
import { Secret } from '../../src/config/secret.ts';
import type { Answers } from '../../src/setup/init/answers.ts';
import { askService, detect } from '../../src/setup/init/service.ts';
import { shell } from '../support/checkout.ts';
import { EXAMPLE, exampleWith } from '../support/example-answers.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { answered, DOWN, ENTER, REST_OF_DEALER } from '../support/person.ts';
import { projectOfCheckout } from '../support/project.ts';
import { runHere } from '../support/run-here.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(
  startService({
    dealers: 2,
    vehicles: 3,
    images: 1,
    fieldNames: { hostedVideo: 'tube', socialClicks: 'AClicks', searchClicks: 'BClicks' },
  }),
);

/** Formats a configuration like the project's formatter. init writes it in this format. */
const formatted = async (text: string) =>
  (
    await shell('node_modules/.bin/biome format --stdin-file-path=src/some.ts', {
      cwd: path.resolve('.'),
      input: text,
    })
  ).stdout;

/** The arguments of a command line, split like by a shell. */
const words = (line: string) =>
  (line.match(/(?:"[^"]*"|\S)+/g) ?? []).map((word) => word.replaceAll('"', ''));

it('npm run init with flags writes, checks, keeps user files and never shows a key', async () => {
  const folder = tempFolder();
  const cwd = path.join(folder, 'project');
  await projectOfCheckout(cwd);
  const remote = 'https://git.test/theirs.git';
  await shell(`git init --quiet && git remote add origin ${remote}`, { cwd });
  const read = (file: string) => readFile(path.join(cwd, file), 'utf8');
  const given = `--service "${service.baseUrl}" --url https://cars.test --dealer "7001=One Cars"`;
  const init = async (flags: string, input = '') => {
    const env = parseEnv(await read('.env').catch(() => '')) as Record<string, string>;
    const ran = await runHere(['init', ...words(flags)], { cwd, env, input });
    expect(ran.stdout + ran.stderr).not.toContain(service.mediaKey);
    return ran;
  };
  for (const [flags, env, code] of [
    ['', {}, 'init-missing'],
    [given, {}, 'init-key-missing'],
    [given, { MEDIA_API_KEY: '"quoted-key-of-mine' }, 'init-key-form'],
    [`${given} --api-key=${'x'.repeat(20)}`, {}, 'argument-secret'],
    [`${given} --account "north=C-1"`, { MEDIA_API_KEY: service.mediaKey }, 'init-answer'],
    [`${given} --account "north=C-1/1"`, { MEDIA_API_KEY: service.mediaKey }, 'init-key-missing'],
    [
      `${given} --account "north=C-1/1"`,
      { MEDIA_API_KEY: service.mediaKey, BATCH_API_KEY: NO_BATCH_KEY },
      'init-key-form',
    ],
    [given, { MEDIA_API_KEY: 'a-key-of-somebody-else' }, 'init-refused'],
    [`${given} --dealer "9=Nobody" --force`, { MEDIA_API_KEY: service.mediaKey }, 'init-refused'],
    [
      `${given} --account "north=C-9/1"`,
      { MEDIA_API_KEY: service.mediaKey, BATCH_API_KEY: service.batchKey },
      'init-refused',
    ],
  ] as const) {
    const ran = await runHere(['init', ...words(flags)], { cwd, env });
    expect(ran.stdout + ran.stderr).not.toContain(service.mediaKey);
    expect(ran.exitCode, code).toBe(2);
    expect(ran.stderr).toContain(`[${code}]`);
    expect(ran.stdout).not.toContain('git push');
    expect((await readdir(cwd)).sort()).toEqual(['.git', 'node_modules', 'package.json']);
  }

  const line = `${given} --dealer "7002=Two Cars" --host s3 --ci gitlab --detect --key-stdin`;
  const input = `${service.mediaKey}\n`;
  const first = await init(line, input);
  expect(first, first.stderr).toMatchObject({ exitCode: 0 });
  expect(first.stdout).toContain(
    'Written: site.config.ts, .env, .gitlab-ci.yml, .gitignore, README.md, theme/assets/theme.css, package.json\n',
  );
  expect(first.stdout).toContain('[dealer-answers]');
  expect(await read('site.config.ts')).toContain("fieldNames: { hostedVideo: 'tube' }");
  const environment = await read('.env');
  const secret = /^SITE_SECRET=([\w-]{43})$/m.exec(environment)?.[1] ?? '';
  expect(canSign(new Secret(secret))).toBe(true);
  expect(environment).toContain(
    `MEDIA_API_KEY=${service.mediaKey}\nSITE_SECRET=${secret}\nDEPLOY_TO=s3\nS3_BUCKET=\n`,
  );
  expect(first.stdout).toContain('masked    MEDIA_API_KEY, SITE_SECRET, AWS_ACCESS_KEY_ID');
  expect(first.stdout + first.stderr).not.toContain(secret);
  expect(first.stdout).not.toContain('[key-short]');
  expect((await stat(path.join(cwd, '.env'))).mode & 0o777).toBe(0o600);
  const { scripts } = JSON.parse(await read('package.json'));
  expect(Object.keys(scripts).sort()).toEqual(SITE_COMMANDS.map(({ name }) => name).sort());
  // An existing repository belongs to the user: nothing is committed.
  const status = async () => (await shell('git status --short', { cwd })).stdout;
  const changed = await status();
  expect(changed.trim().split('\n').sort()).toEqual([
    '?? .gitignore',
    '?? .gitlab-ci.yml',
    '?? README.md',
    '?? package.json',
    '?? site.config.ts',
    '?? theme/',
  ]);
  expect(await formatted(await read('site.config.ts'))).toBe(await read('site.config.ts'));

  expect(first.stdout).toContain(`git pushes to ${remote}:\n`);
  expect(first.stdout).toMatch(/ git add site\.config\.ts .*package\.json$/m);

  // Stored answers replace missing flags, and no question is asked again.
  const again = await init('--quiet');
  expect(again, again.stderr).toMatchObject({ exitCode: 0 });
  expect(await status()).toBe(changed);
  expect(await read('.env')).toBe(environment);
  expect(await read('site.config.ts')).toContain("name: 'Two Cars'");

  const edited = `${await read('site.config.ts')}// mine\n`;
  await writeFile(path.join(cwd, 'site.config.ts'), edited);
  const second = await init(`${given} --host netlify`);
  expect(second.exitCode).toBe(2);
  expect(second.stderr).toContain('site.config.ts; DEPLOY_TO in .env');
  expect(second.stderr).toContain('--force');
  expect(await read('site.config.ts')).toBe(edited);

  const forced = await init(`${given} --host netlify --force`);
  expect(forced, forced.stderr).toMatchObject({ exitCode: 0 });
  expect(await read('site.config.ts')).not.toContain('// mine');
  expect(await read('site.config.ts.former')).toBe(edited);
  expect(await read('.env')).toContain('DEPLOY_TO=netlify');

  // A project that cannot be built is not pushed: here with an unused theme file.
  await mkdir(path.join(cwd, 'theme/layouts'), { recursive: true });
  await writeFile(path.join(cwd, 'theme/layouts/car.njk'), 'x');
  const unready = await init('');
  expect(unready.exitCode).toBe(2);
  expect(unready.stdout).toContain('Not ready yet');
  expect(unready.stdout).not.toContain('git push');
  await rm(path.join(cwd, 'theme/layouts'), { recursive: true });

  const batches = await init(
    `${given} --host netlify --account "north=C-1001/1" --detect --key-stdin --force`,
    `MEDIA_API_KEY=${service.mediaKey}\nBATCH_API_KEY=${service.batchKey}\n`,
  );
  expect(batches, batches.stderr).toMatchObject({ exitCode: 0 });
  expect(batches.stdout).toContain('[account-answers]');
  expect(batches.stdout).toContain('npm run batches -- pull');
  expect(batches.stdout + batches.stderr).not.toContain(service.batchKey);
  expect(await formatted(await read('site.config.ts'))).toBe(await read('site.config.ts'));
  const pulled = await shell('npm run --silent batches -- pull', { cwd });
  expect(pulled, pulled.stderr).toMatchObject({ exitCode: 0 });

  // A new dealer does not need the others: one may be refused, and keys may be only in CI.
  const restore = service.faults.set({ route: 'media', dealerId: 7001, status: 403 });
  const env = { ...parseEnv(await read('.env')), BATCH_API_KEY: '' };
  const added = await runHere(['init', '--add-dealer', '7002=Two Cars'], { cwd, env });
  restore();
  expect(added.stdout, added.stderr).toContain('Written: site.config.ts, .env (unchanged)');
});

/** A malformed key of MyVideos, and a well-formed one that the service rejects. */
const NO_BATCH_KEY = 'a-key-without-five-groups';
const OTHER_BATCH_KEY = '11111111-2222-3333-4444-555555555555';

describe('npm run init in a terminal', () => {
  const host = 'pictures.test:8443';
  beforeAll(() => {
    const [dealer] = service.data.dealers;
    for (const item of dealer?.vehicles[0]?.mediaList ?? []) {
      if (item.type === 'Image') item.mediaUrl = `https://${host}/1.jpg`;
    }
  });

  it('asks, explains wrong answers, checks the service and shows no key', async () => {
    const { answers, keys, screen } = await answered([
      ['What is this project for?', ENTER],
      ['URL of the media service', `http://m.test${ENTER}`],
      ['must be https', `${'\u007f'.repeat(13)}${service.baseUrl}${ENTER}`],
      ['API key for MEDIA_API_KEY', `abc${ENTER}`],
      ['too short', `${'\u007f'.repeat(3)}a-key-of-somebody-else${ENTER}`],
      ['Id of the dealer', `7001${ENTER}`],
      ['refused the request for dealer 7001', ''],
      ['How do you want to continue?', ENTER],
      ['API key for MEDIA_API_KEY', `${service.mediaKey}${ENTER}`],
      ['Name of the dealer', `One Cars${ENTER}`],
      ['First part of the URLs of its pages', ENTER],
      ['Phone number', `call us${ENTER}`],
      ['must be one telephone number', `${'\u007f'.repeat(7)}+44 1632 960001${ENTER}`],
      ['Add another dealer?', 'y'],
      ['Id of the dealer', `7001${ENTER}`],
      ['already in the list', `\u007f9${ENTER}`],
      ['refused the request for dealer 7009', ''],
      ['A separate key for this dealer', `${DOWN}${ENTER}`],
      ['Id of the dealer', `7002${ENTER}`],
      ['Name of the dealer', `Two Cars${ENTER}`],
      ...REST_OF_DEALER,
      ['history of sent videos', 'y'],
      ['Name of the account', `no/rth${ENTER}`],
      ['must be lower-case letters', `${'\u007f'.repeat(6)}north${ENTER}`],
      ['API key for BATCH_API_KEY', `${NO_BATCH_KEY}${ENTER}`],
      ['five groups', `${'\u007f'.repeat(NO_BATCH_KEY.length)}${OTHER_BATCH_KEY}${ENTER}`],
      ['Its customerId', ENTER],
      ['must not be empty', `C-1001${ENTER}`],
      ['Its pathId', `1${ENTER}`],
      ['How do you want to continue?', ENTER],
      ['API key for BATCH_API_KEY', `${service.batchKey}${ENTER}`],
      ['Add another account?', 'n'],
      ['Title of the site', ENTER],
      ['URL at which visitors', `https://cars.test${ENTER}`],
      ['Language and region', `${'\u007f'.repeat(5)}english${ENTER}`],
      ['must be a language tag', `${'\u007f'.repeat(7)}tlh${ENTER}`],
      ['must begin with a known language', `${'\u007f'.repeat(3)}en-QQ${ENTER}`],
      ['must end with a known region', `${'\u007f'.repeat(5)}de-AT${ENTER}`],
      ['Time zone', ENTER],
      ['Where do you host the site?', `${DOWN}${DOWN}${ENTER}`],
      ['What rebuilds the site', ENTER],
      ['"tube", "AClicks", "BClicks". Use them?', 'y'],
      [`Pictures come from ${host}`, 'y'],
    ]);
    expect(answers).toMatchObject({
      service: {
        baseUrl: service.baseUrl,
        fieldNames: { hostedVideo: 'tube', socialClicks: 'AClicks', searchClicks: 'BClicks' },
      },
      site: { title: 'One Cars', url: 'https://cars.test', locale: 'de-AT' },
      dealers: [
        {
          id: 7001,
          name: 'One Cars',
          slug: 'one-cars',
          apiKeyEnv: 'MEDIA_API_KEY',
          contact: { phone: '+44 1632 960001' },
        },
        { id: 7002, name: 'Two Cars', slug: 'two-cars', apiKeyEnv: 'MEDIA_API_KEY' },
      ],
      accounts: [{ name: 'north', customerId: 'C-1001', pathId: '1' }],
      media: { hosts: [host] },
      ci: 'github',
      host: 'netlify',
    });
    expect(keys.get('MEDIA_API_KEY')?.reveal()).toBe(service.mediaKey);
    expect(keys.get('BATCH_API_KEY')?.reveal()).toBe(service.batchKey);
    for (const key of [service.mediaKey, service.batchKey, OTHER_BATCH_KEY, 'a-key-']) {
      expect(screen()).not.toContain(key);
    }
    expect(screen()).not.toContain(service.mediaKey.slice(-6));
  });

  it('offers the values of the project, with key variables, URLs and a known key, and accepts a no', async () => {
    const existing: Answers = {
      ...exampleWith({ title: 'Ours', url: 'https://ours.test', locale: 'de-DE' }),
      service: {
        baseUrl: service.baseUrl,
        fieldNames: {
          ...EXAMPLE.service.fieldNames,
          socialClicks: 'AClicks',
          searchClicks: 'BClicks',
        },
      },
      dealers: [{ id: 7001, name: 'One', slug: 'the-first', apiKeyEnv: 'FIRST_KEY' }],
      accounts: [{ name: 'north', customerId: 'C-1001', pathId: '1', apiKeyEnv: 'NORTH_KEY' }],
      media: { hosts: ['pictures.test'] },
      ci: 'gitlab',
      host: 's3',
    };
    const { answers, keys } = await answered(
      [
        ['What is this project for?', ENTER],
        ['URL of the media service', ENTER],
        ['Dealers: One (7001). Keep them?', 'y'],
        ['FIRST_KEY is set already. Use it?', 'y'],
        ['Add another dealer?', 'n'],
        ['Accounts: north. Keep them?', 'y'],
        ['API key for NORTH_KEY', `${service.batchKey}${ENTER}`],
        ['Add another account?', 'n'],
        ['Title of the site', ENTER],
        ['URL at which visitors', ENTER],
        ['Language and region', ENTER],
        ['Time zone', ENTER],
        ['Where do you host the site?', ENTER],
        ['What rebuilds the site', ENTER],
        ['"tube". Use them?', 'n'],
        [`Pictures come from ${host}`, 'n'],
      ],
      {
        existing,
        present: (name) => (name === 'FIRST_KEY' ? new Secret(service.mediaKey) : undefined),
      },
    );
    expect(answers).toEqual(existing);
    expect([...keys.keys()].sort()).toEqual(['FIRST_KEY', 'NORTH_KEY']);
  });

  it('continues if you confirm and tries another URL', async () => {
    const asked = answered([
      ['What is this project for?', ENTER],
      ['URL of the media service', `http://127.0.0.1:1${ENTER}`],
      ['API key for MEDIA_API_KEY', `${service.mediaKey}${ENTER}`],
      ['Id of the dealer', `7001${ENTER}`],
      ['How do you want to continue?', `${DOWN}${DOWN}${ENTER}`],
      ['URL of the media service', `${'\u007f'.repeat(18)}${service.baseUrl}${ENTER}`],
      ['Name of the dealer', `One Cars${ENTER}`],
      ['First part of the URLs of its pages', ENTER],
      ['Phone number', ENTER],
      ['Add another dealer?', 'y'],
      ['Id of the dealer', `7009${ENTER}`],
      ['How do you want to continue?', `${DOWN.repeat(4)}${ENTER}`],
      ['Name of the dealer', `Nine${ENTER}`],
      ['First part of the URLs of its pages', ENTER],
      ['Phone number', ENTER],
      ['Add another dealer?', '\u0003'],
    ]);
    await expect(asked).rejects.toMatchObject({ code: 'init-cancelled', exitCode: 2 });
  });
});

it('never proposes a picture domain that a build refuses', async () => {
  const urls = [
    'http://169.254.169.254/latest/1.jpg',
    'http://10.0.0.5/1.jpg',
    'http://192.168.1.9:8080/1.jpg',
    'http://[::1]/1.jpg',
    'http://127.0.0.1:9/1.jpg',
    'http://localhost/1.jpg',
    'https://pictures.test/1.jpg',
    `${service.baseUrl}/pictures/1.jpg`,
  ];
  const [vehicle] = service.data.dealers[0]?.vehicles ?? [];
  const [image] = vehicle?.mediaList.filter(({ type }) => type === 'Image') ?? [];
  const mediaList = urls.map((mediaUrl, id) => ({ ...image, id, mediaUrl }));
  service.faults.set({ route: 'media', body: JSON.stringify([{ ...vehicle, mediaList }]) });
  const answers: Answers = {
    ...EXAMPLE,
    service: { ...EXAMPLE.service, baseUrl: service.baseUrl },
    media: { hosts: [] },
  };
  const keys = new Map([['MEDIA_API_KEY', new Secret(service.mediaKey)]]);
  const check = await askService(answers, keys).finally(() => service.faults.clear());
  const { hosts, refusedNote } = await detect(answers, [check]);
  expect(hosts).toEqual(['pictures.test']);
  expect(refusedNote).toContain('169.254.169.254');
  expect(refusedNote?.split(',')).toHaveLength(6 + 2);
});
