import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runAndReport } from '../../src/publish/run-and-report.ts';
import { recordingConsole, temporaryFolder, writeConfigIn } from '../support/build.ts';
import { startService } from '../support/service.ts';

it('an outcome is in the report, the output and the job summary', async () => {
  await using folder = await temporaryFolder();
  await using service = await startService({ dealers: 1, vehicles: 1, images: 1 });
  const file = writeConfigIn(folder.path, service);
  const config = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...config, media: { hosts: ['*'], widths: [160] } }));
  const options = {
    file,
    env: { MEDIA_API_KEY: service.mediaKey },
    output: path.join(folder.path, 'site'),
    cacheDir: path.join(folder.path, 'cache'),
    reportFile: path.join(folder.path, 'report.json'),
    summaryFile: path.join(folder.path, 'summary.md'),
    console: recordingConsole(),
    place: 'site',
  };
  const result = await runAndReport(options);
  expect(result.exitCode).toBe(0);
  expect(options.console.lines.join('')).toContain('media.hosts contains "*"');
  expect(JSON.parse(await readFile(options.reportFile, 'utf8'))).toMatchObject({
    outcome: 'published',
  });
  expect(await readFile(options.summaryFile, 'utf8')).toContain('## Built into site');
});
