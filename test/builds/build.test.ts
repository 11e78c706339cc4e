import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { REAL_FIELD_NAMES } from '../../src/sample-service/options.ts';
import { build, configFor, readSite, readTree } from '../support/build.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(
  startService({ dealers: 2, vehicles: 4, images: 2, pictureScale: 0.25 }),
);
// Two vehicles per dealer, because every picture slows each build from nothing.
for (const vehicle of service.data.dealers.flatMap(({ vehicles }) => vehicles.slice(2))) {
  vehicle.mediaList = vehicle.mediaList.filter(({ type }) => type !== 'Image');
}
/** A build from nothing, shared by several tests. */
const folder = tempFolder();
const first = await build(configFor(service), folder);

const pages = (files: Map<string, string>) =>
  [...files.keys()].filter((file) => file.endsWith('.html'));

describe('a build', () => {
  it('writes a page for every vehicle and dealer, without keys and with reproducible bytes', async () => {
    expect(first.error).toBeUndefined();
    expect(first.report.outcome).toBe('published');
    const steps = ['fetch', 'images', 'pages', 'verify', 'publish'];
    expect(Object.keys(first.report.steps)).toEqual(steps);
    const files = await readSite(first.output);
    const vehicles = service.data.dealers.flatMap((dealer) => dealer.vehicles);
    const vehiclePages = pages(files).filter((file) =>
      /^dealer-\d\/(?!embed\/)[^/]+\/index\.html$/.test(file),
    );
    expect(vehiclePages).toHaveLength(vehicles.length);
    for (const file of [
      'index.html',
      '404.html',
      'robots.txt',
      'sitemap.xml',
      'dealer-1/index.html',
    ]) {
      expect(files.has(file)).toBe(true);
    }
    const [dealer] = first.report.dealers;
    expect(dealer?.vehicles).toMatchObject({ received: 4, accepted: 4, used: 4, quarantined: 0 });
    expect(dealer?.pictures.used).toBe(dealer?.pictures.listed);

    const everything = [...(await readTree(folder))].flat().join('\n');
    expect(everything).not.toContain(service.mediaKey);
    const config = configFor(service);
    const again = await build(config, folder, { now: Date.now() + 3_600_000 });
    expect(again.report.media).toMatchObject({ downloaded: 0, outputsMade: 0 });
    expect(await readSite(again.output)).toEqual(files);

    const other = tempFolder();
    const elsewhere = await build(config, other);
    expect(await readSite(elsewhere.output)).toEqual(files);
  });

  it('renders nothing for hidden data and reports the response of the same night', async () => {
    const folder = tempFolder();
    const config = configFor(service);
    const hosted = service.data.dealers[0]?.vehicles
      .flatMap(({ mediaList }) => mediaList)
      .find(({ hostedVideoUrl }) => hostedVideoUrl);
    if (!hosted) throw new Error('the sample service hosts a video');
    const before = { ...hosted };
    const night = async (host: string) => {
      hosted.hostedVideoUrl = `https://${host}/1`;
      hosted.hostedVideoEmbedHtml = `<iframe src="https://${host}/2"></iframe>`;
      hosted.hostedVideoWatchUrl = `https://${host}/3`;
      const { report, output } = await build(config, folder);
      return { report, files: await readSite(output) };
    };
    try {
      const first = await night('one.example');
      expect(first.report).toMatchObject({
        outcome: 'published',
        unmatchedEmbeds: { 'one.example': 1 },
      });
      expect([...first.files.values()].filter((text) => text.includes('one.example'))).toEqual([]);
      const second = await night('two.example');
      expect(second.report).toMatchObject({ outcome: 'unchanged', rendered: 0 });
      expect(second.report.unmatchedEmbeds).toEqual({ 'two.example': 1 });
      expect(second.files).toEqual(first.files);
    } finally {
      Object.assign(hosted, before);
    }
  });

  it('is the same with real field names after configuring them', async () => {
    const folder = tempFolder();
    await using real = await startService({
      data: {
        dealers: service.data.dealers,
        accounts: [],
        pictures: Object.fromEntries(service.data.pictures),
      },
      fieldNames: REAL_FIELD_NAMES,
    });
    const config = configFor(real, {
      service: { baseUrl: real.baseUrl, fieldNames: REAL_FIELD_NAMES },
    });
    const renamed = await build(config, path.join(folder, 'b'));
    expect(
      renamed.report.dealers.map(({ videos, unknownFields }) => [videos, unknownFields]),
    ).toEqual(first.report.dealers.map(({ videos, unknownFields }) => [videos, unknownFields]));
    expect(renamed.report.dealers[0]?.videos.embedded).toBeGreaterThan(0);
    const blind = await build(configFor(real), path.join(folder, 'c'));
    expect(blind.report.dealers[0]?.videos.embedded).toBe(0);
    expect(blind.report.dealers[0]?.unknownFields).toHaveProperty(['mediaList[].youTubeUrl']);
  });
});
