import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { writeConfigIn } from '../support/build.ts';
import { afterLine, startCommand } from '../support/command.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 1, media: 'none' }));

/** A user namespace has separate limits. Some systems do not allow user namespaces. */
const canLimit = spawnSync('unshare', ['-Ur', 'true']).status === 0;
const limited = (name: string, value: number) => [
  ...['unshare', '-Ur'],
  ...afterLine(`echo ${value} > /proc/sys/user/${name}`),
];

/** Simulates the kernel's error in Node, for systems where limits cannot be set. */
const HOOK = `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
fs.watch = (file) => {
  throw Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), { code: 'ENOSPC', path: file });
};
syncBuiltinESMExports();`;

const LIMITS = canLimit
  ? ([
      ['no watches', limited('max_inotify_watches', 3)],
      ['no instances', limited('max_inotify_instances', 0)],
    ] as const)
  : ([['a system that says so', 'hook']] as const);

it.each<readonly [string, readonly string[] | 'hook']>(LIMITS)(
  'npm run dev shows changes even if there are %s',
  async (_, how) => {
    const folder = tempFolder();
    const config = writeConfigIn(folder, service);
    const layout = (text: string) => ({
      'theme/pages/404.njk': `{% extends "layouts/base.njk" %}{% block content %}<h1>${text}</h1>{% endblock %}`,
      'hook.mjs': HOOK,
    });
    await writeFilesBelow(folder, layout('Nothing here'));
    const hook = pathToFileURL(path.join(folder, 'hook.mjs')).href;
    const { child, printed, prints, ended } = startCommand(
      'dev',
      ['--config', config, '--port', '0', '--cache', path.join(folder, 'cache')],
      {
        MEDIA_API_KEY: service.mediaKey,
        ...(how === 'hook' && { NODE_OPTIONS: `--import ${hook}` }),
      },
      { within: how === 'hook' ? [] : how },
    );
    const output = () => printed.stdout + printed.stderr;
    try {
      const [, address = ''] = await prints(/The site is at (http:\S+)/);
      expect(output()).not.toContain('watchers');
      const page = async () => (await fetch(`${address}nowhere`)).text();
      expect(await page()).toContain('<h1>Nothing here</h1>');
      await writeFilesBelow(folder, layout('Gone'));
      await expect.poll(page, { timeout: 30_000 }).toContain('<h1>Gone</h1>');
      child.kill('SIGINT');
      await ended;
      expect(output()).not.toMatch(/^\s+at /m);
    } finally {
      child.kill('SIGKILL');
    }
  },
);
