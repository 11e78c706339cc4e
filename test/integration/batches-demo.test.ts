import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { batchesHere, tempFolder, writeConfig } from '../support/batches.ts';
import { startCommand } from '../support/command.ts';

test('the first steps of docs/batches.md with the sample service: a report with figures, and no drift', async () => {
  const service = startCommand('service', ['--port', '0', '--dealers', '1', '--vehicles', '1']);
  try {
    const [, baseUrl] = await service.says(/Sample service: (http:\S+)/);
    const [, key = ''] = await service.says(/Key of MyVideos:\s+(\S+)/);
    const folder = tempFolder();
    const account = { name: 'northgate', customerId: 'C-1001', pathId: '1', daysOfHistory: 30 };
    const config = writeConfig(folder, {
      service: { baseUrl },
      site: { title: 'Cars', url: 'https://cars.example' },
      accounts: [account],
    });
    const run = (...args: string[]) =>
      batchesHere([...args, '--config', config], { cwd: folder, env: { BATCH_API_KEY: key } });

    const pulled = await run('pull');
    expect(pulled).toMatchObject({ code: 0, stderr: '' });
    expect(pulled.stdout).toMatch(/a new history was begun: .*history\.sqlite/);
    expect(pulled.stdout).toMatch(/northgate: [3-9]\d batches of 30 days: \d+ new/);
    expect(pulled.stdout).not.toMatch(/drift/);
    expect((await run('status')).stdout).toMatch(/drift +none/);

    expect(await run('report')).toMatchObject({ code: 0, stderr: '' });
    const page = readFileSync(path.join(folder, '.batches', 'report', 'index.html'), 'utf8');
    const step = (name: string) =>
      Number(new RegExp(`<th scope="row">${name}</th><td>(\\d+)</td>`).exec(page)?.[1]);
    const steps = ['Created', 'Sent', 'Watched', 'Acted'].map(step);
    expect(Math.min(...steps)).toBeGreaterThan(0);
    expect(steps).toEqual([...steps].sort((a, b) => b - a));
    expect(page).not.toContain('Not enough batches yet');
    const weeks = [...page.matchAll(/<th scope="row">\d{4}-\d\d-\d\d<\/th><td>(\d+)<\/td>/g)];
    expect(weeks.length).toBeGreaterThanOrEqual(3);
    for (const [, created] of weeks) expect(Number(created)).toBeGreaterThan(0);
  } finally {
    service.child.kill('SIGTERM');
    await service.ended;
  }
}, 60_000);
