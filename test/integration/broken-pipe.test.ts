import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { argumentsIn, writeConfigIn } from '../support/build.ts';
import { ENVIRONMENT, follow } from '../support/command.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 2, media: 'none' }));

/** Runs a command with a closed output, like `| head -0`. */
function unread(script: string, args: string[], output: 'gone' | number) {
  const child = spawn(process.execPath, ['scripts/run.ts', script, ...args], {
    env: { ...ENVIRONMENT, MEDIA_API_KEY: service.mediaKey },
    stdio: ['ignore', output === 'gone' ? 'pipe' : output, 'pipe'],
  });
  child.stdout?.destroy();
  return follow(child).ended;
}

describe('a command with a closed output', () => {
  it('completes its work: build', async () => {
    const folder = tempFolder();
    const at = (name: string) => path.join(folder, name);
    writeConfigIn(folder, service);
    const args = argumentsIn(folder);
    expect(await unread('build', args, 'gone')).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    expect(JSON.parse(await readFile(at('report.json'), 'utf8')).outcome).toBe('published');
    expect(await readFile(at('site/index.html'), 'utf8')).toContain('</html>');
  });

  it.each([
    ['doctor', ['--json']],
    ['worker', ['--help']],
    ['batches', ['--help']],
    ['batches', ['status', '--nonsense']],
  ])('ends without a stack trace: %s %j', async (script, more) => {
    const folder = tempFolder();
    const required = script === 'batches' ? [] : ['--config', writeConfigIn(folder, service)];
    const { exitCode, stderr } = await unread(script, [...more, ...required], 'gone');
    expect([0, 2]).toContain(exitCode);
    expect(stderr).not.toMatch(/EPIPE|^\s+at /m);
  });

  // Only Linux has /dev/full.
  it.skipIf(process.platform !== 'linux')(
    'reports that the output could not be written, and fails',
    async () => {
      const folder = tempFolder();
      const at = (name: string) => path.join(folder, name);
      const folders = [
        '--output',
        at('site'),
        '--cache',
        at('cache'),
        '--report',
        at('report.json'),
      ];
      const full = openSync('/dev/full', 'w');
      const args = [...argumentsIn(folder), ...folders];
      const { exitCode, stderr } = await unread('build', args, full);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('[output-lost]');
      expect(stderr).not.toMatch(/^\s+at /m);
    },
  );
});
