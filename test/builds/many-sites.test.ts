import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { lockOutput } from '../../src/publish/folder-checks/check.ts';
import { startCommand } from '../support/command.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 3, vehicles: 2, images: 1 }));
const NAMES = ['north', 'south', 'west'];

/** A project with a base configuration and a file for each of three dealers. */
async function project() {
  const folder = tempFolder();
  const base = {
    service: { baseUrl: service.baseUrl },
    media: { widths: [160], hosts: ['*'] },
  };
  const siteFile = (name: string, index: number) => `import base from './base.ts';
export default {
  ...base,
  site: { title: 'Cars ${name}', url: 'https://${name}.example' },
  dealers: [{ id: ${service.data.dealers[index]?.id}, name: 'Cars ${name}', slug: '${name}' }],
};
`;
  await writeFilesBelow(path.join(folder, 'sites'), {
    'base.ts': `export default ${JSON.stringify(base)};\n`,
    ...Object.fromEntries(NAMES.map((name, index) => [`${name}.config.ts`, siteFile(name, index)])),
  });
  const at = (...parts: string[]) => path.join(folder, ...parts);
  const run = (...args: string[]) =>
    startCommand(
      'build',
      [
        ...['--output', at('_site'), '--cache', at('.cache'), '--report', at('report.json')],
        ...(args.length > 0 ? args : ['--config', at('sites/*.config.ts')]),
      ],
      { MEDIA_API_KEY: service.mediaKey },
    ).ended;
  return { at, run };
}

it('a pattern builds all sites with one cache, and a failed site does not affect the others', async () => {
  const { at, run } = await project();
  const first = await run();
  expect(first).toMatchObject({ exitCode: 0, stderr: '' });
  expect(first.stdout).toContain(
    '3 of 3 sites built:\n  north: published, vehicles: 2\n  south: published, vehicles: 2\n  west: published, vehicles: 2\n',
  );
  expect(first.stdout).toContain('Warning: south: media.hosts contains "*"');
  for (const name of NAMES) {
    const page = await readFile(at('_site', name, 'index.html'), 'utf8');
    expect(page).toContain(`https://${name}.example/`);
    expect(JSON.parse(await readFile(at(`report-${name}.json`), 'utf8'))).toMatchObject({
      outcome: 'published',
    });
  }
  await writeFile(at('sites/north.config.ts'), 'export default { sites: 1 };\n');
  using _held = lockOutput(at('_site/south'));
  const asked = service.requests.list('picture').length;
  const files = NAMES.toReversed().map((name) => at(`sites/${name}.config.ts`));
  const second = await run('--config', ...files);
  expect(second.exitCode).toBe(2);
  expect(second.stdout).toMatch(
    /1 of 3 sites built:\n {2}north: not published: .* \[config-invalid\]\n {2}south: not published: .* \[build-already-running\]\n {2}west: unchanged, vehicles: 2\n/,
  );
  expect(second.stderr).toMatch(
    /^south: Another build [\s\S]*^north: The configuration [\s\S]*sites: is not a known setting/m,
  );
  expect(service.requests.list('picture').length).toBe(asked);
  expect(existsSync(at('_site/north/index.html'))).toBe(true);
});

it('sites never share a folder, and a decision about one site needs its file', async () => {
  const { at, run } = await project();
  const [north = '', south = ''] = NAMES.map((name) => at(`sites/${name}.config.ts`));
  const json = at('north.json');
  await writeFile(json, '{}');
  for (const [args, code] of [
    [['--config', north, json], 'sites-names'],
    [['--config', north, '--config', south, '--hide', 'AB12 CDE'], 'argument-one-site'],
    [['--config', at('none/*.config.ts')], 'config-pattern'],
  ] as const) {
    const { exitCode, stderr } = await run(...args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`[${code}]`)]);
  }
  const matched = await run('--config', at('sites/nor*.config.ts'));
  expect(matched.stdout).toContain('1 of 1 sites built:\n  north: published');
  expect(existsSync(at('_site/north/index.html'))).toBe(true);
  await rm(at('_site'), { recursive: true });
  expect((await run('--config', north)).exitCode).toBe(0);
  expect(existsSync(at('_site/index.html'))).toBe(true);
  const into = await run('--config', north, south);
  expect([into.exitCode, into.stderr]).toEqual([2, expect.stringContaining('[sites-output]')]);
});
