import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { batchesHere, tempFolder, writeConfig } from '../support/batches.ts';
import { startCommand } from '../support/command.ts';
import { lintErrors, parserErrors } from '../support/github-lint.ts';

/** A sample service and a folder with a configuration for it, for commands of docs/batches.md. */
async function startDemo() {
  const service = startCommand('service', ['--port', '0', '--dealers', '1', '--vehicles', '1']);
  const [, baseUrl] = await service.prints(/Sample service: (http:\S+)/);
  const [, key = ''] = await service.prints(/Key of MyVideos:\s+(\S+)/);
  const folder = tempFolder();
  const account = { name: 'northgate', customerId: 'C-1001', pathId: '1', daysOfHistory: 30 };
  const config = writeConfig(folder, {
    service: { baseUrl },
    site: { title: 'Cars', url: 'https://cars.example' },
    accounts: [account],
  });
  return {
    folder,
    run: (...args: string[]) =>
      batchesHere([...args, '--config', config], { cwd: folder, env: { BATCH_API_KEY: key } }),
    async [Symbol.asyncDispose]() {
      service.child.kill('SIGTERM');
      await service.ended;
    },
  };
}

test('docs/batches.md with the sample service: a report with figures, no drift, and the commands of the workflow', async () => {
  await using demo = await startDemo();
  const { folder, run } = demo;
  const pulled = await run('pull');
  expect(pulled).toMatchObject({ code: 0, stderr: '' });
  expect(pulled.stdout).toMatch(/created a new history: .*history\.sqlite/);
  expect(pulled.stdout).toMatch(/northgate: [3-9]\d batches of 30 days: \d+ new/);
  expect(pulled.stdout).not.toMatch(/drift/);
  expect((await run('status')).stdout).toMatch(/drift +none/);

  expect(await run('report')).toMatchObject({ code: 0, stderr: '' });
  const page = readFileSync(path.join(folder, '.batches', 'report', 'index.html'), 'utf8');
  const step = (name: string) =>
    Number(new RegExp(`<th scope="row">${name}</th>.*?<td>(\\d+)</td>`).exec(page)?.[1]);
  const steps = ['Created', 'Sent', 'Watched', 'Acted'].map(step);
  expect(Math.min(...steps)).toBeGreaterThan(0);
  expect(steps).toEqual([...steps].sort((a, b) => b - a));
  expect(page).not.toContain('Nothing to show yet');
  const weeks = [...page.matchAll(/<th scope="row">\d{4}-\d\d-\d\d<\/th><td>(\d+)<\/td>/g)];
  expect(weeks.length).toBeGreaterThanOrEqual(3);
  for (const [, created] of weeks) expect(Number(created)).toBeGreaterThan(0);

  const docs = readFileSync('docs/batches.md', 'utf8');
  const [, text = ''] = /```yaml\n(# \.github\/workflows\/batches\.yml.*?)```/s.exec(docs) ?? [];
  expect(await parserErrors(text)).toEqual([]);
  expect(await lintErrors(text)).toEqual([]);
  const { steps: tasks } = parse(text).jobs.nightly;
  // A failed load moved the position, so no later step may keep the history.
  const [load, erase] = tasks.filter(({ run = '' }) => run.includes('--since last'));
  expect(load.run).toContain('keep-history.sh');
  expect(erase.if).toContain(`&& steps.${load.id}.outcome == 'success'`);
  const [, keep = ''] = /```sh\n(#!\/bin\/sh -eu\n.*?)```/s.exec(docs) ?? [];
  const script = tasks
    .map((step: { run?: string }) => step.run ?? '')
    .join('\n')
    .replace('sh -eu .github/keep-history.sh', keep.replace(/ #.*/g, ''));
  const commands = [
    ...script.replaceAll('\\\n', ' ').matchAll(/^npm run (?:--silent )?batches -- (.*)$/gm),
  ].map(([, command]) =>
    command
      .replaceAll('"', '')
      .replaceAll('$STORE', '.batches/history.sqlite')
      .replaceAll('$RUNNER_TEMP', '.')
      .split(/\s+/),
  );
  expect(commands.map(([command]) => command)).toEqual([
    'pull',
    'status',
    'export',
    'prune',
    'export',
  ]);
  for (const command of commands) {
    const ran = await run(...command);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
  }
  const changes = readFileSync(path.join(folder, 'batches/changes.csv'), 'utf8');
  expect(changes.split('\r\n').length).toBeGreaterThan(30);
  // Batches of 30 days are too young to be erased.
  expect(readFileSync(path.join(folder, 'batches/erasures.csv'), 'utf8')).toMatch(/^[^\n]+\n$/);
});
