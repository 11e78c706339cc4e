import path from 'node:path';
import { expect, it } from 'vitest';
import { openSiteData } from '../../src/publish/build/site-data.ts';
import { recordingConsole } from '../support/build.ts';
import { configIn } from '../support/custom-pages.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

it('npm run dev, interrupted during a request, does not report a fault of the service', async () => {
  await using service = await startService({ dealers: 1, vehicles: 2, media: 'none' });
  service.faults.set({ route: 'media', hang: true });
  const folder = tempFolder();
  const console = recordingConsole();
  const { read } = await openSiteData({
    load: async () => configIn(service, folder),
    cacheDir: path.join(folder, 'cache'),
    console,
    signal: AbortSignal.timeout(200),
  });
  await expect(read('serve')).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(console.lines).toEqual([]);
});
