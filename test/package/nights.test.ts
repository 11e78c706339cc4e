import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SampleService } from '../../src/sample-service/index.ts';
import { readSite, temporaryFolder } from '../support/build.ts';
import { newPicture, worse } from '../support/first-day.ts';
import { type Installed, installedProject } from '../support/installed.ts';
import { startLasting } from '../support/lasting.ts';

/** The first day and later nights. Each test continues after the previous one. */
describe('a project installed by pnpm', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let project: Installed;
  let service: SampleService;

  const site = () => readSite(path.join(project.folder, '_site'));
  const key = () => ({ MEDIA_API_KEY: service.mediaKey });
  const night = async (day: string) => {
    const before = await site();
    await project.run(`pnpm run build -- --strict --now ${day}`, { env: key() });
    return { before, after: await site(), report: await project.report() };
  };

  beforeAll(async () => {
    folder = await temporaryFolder();
    project = await installedProject(path.join(folder.path, 'project'), 'pnpm');
    service = await project.startService({ dealers: 2, vehicles: 3, images: 2 });
  });
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  it('includes the sample service', async () => {
    await using sample = await startLasting(
      'npx vehicle-media-site service --port 0',
      /Sample service: (http:\S+)/,
      { cwd: project.folder, env: {}, path: project.path },
    );
    expect((await fetch(`${sample.address}/openapi.json`)).status).toBe(200);
  });

  it('is set up, checked and built on the first day', async () => {
    const flags = `--service "${service.baseUrl}" --url https://cars.test --dealer "7001=North Cars" --dealer "7002=South Cars" --host none --ci none`;
    const init = await project.run(`npx vehicle-media-site init ${flags}`, { env: key() });
    expect(init).toContain('0 errors');
    expect(await project.run('pnpm run doctor')).toContain('0 errors');
    await project.run('pnpm run build -- --first --now 2026-03-02T09:00:00Z');
    const { media, rendered, attention } = await project.report();
    expect(media).toMatchObject({ failed: 0, unchanged: 0 });
    expect(media?.downloaded).toBe(media?.sources);
    expect(rendered).toBeGreaterThan(6);
    expect(attention).toEqual([]);
  });

  it('is served by preview', async () => {
    const line = 'pnpm run preview -- --port 0';
    await using preview = await startLasting(line, /The site is at (http:\S+)/, {
      cwd: project.folder,
      env: {},
      path: project.path,
    });
    const answer = await fetch(preview.address);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('North Cars');
  });

  it('renders no page and no picture on a night without changes', async () => {
    const { before, after, report } = await night('2026-03-02T10:00:00Z');
    expect(report).toMatchObject({ rendered: 0 });
    expect(report.media).toMatchObject({ downloaded: 0, outputsMade: 0, failed: 0 });
    expect(after).toEqual(before);
  });

  it('renders one vehicle on a night with one change', async () => {
    const vehicle = service.data.dealers[0]?.vehicles[0];
    if (!vehicle) throw new Error('no vehicle');
    newPicture(service, 0, vehicle.vrm);
    const { before, after, report } = await night('2026-03-02T11:00:00Z');
    expect(report.media).toMatchObject({ downloaded: 1, failed: 0 });
    const page = `north-cars/${vehicle.vrm.toLowerCase().replaceAll(' ', '')}/index.html`;
    expect(after.get(page)).not.toBe(before.get(page));
    expect(worse({ before, after, pictures: 0, bytes: 0 }, [page])).toEqual([]);
  });
});
