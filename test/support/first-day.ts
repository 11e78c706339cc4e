import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { expect } from 'vitest';
import { startStaticServer } from '../../scripts/static-server.ts';
import type { VehicleMediaRecord } from '../../src/contract/media.ts';
import { REAL_FIELD_NAMES, startSampleService } from '../../src/sample-service/index.ts';
import { temporaryFolder } from './build.ts';
import { freshClone, shell } from './checkout.ts';
import { type Visit, visit } from './page.ts';

export interface FirstDay {
  /** Seconds by step, in their order. */
  seconds: Record<string, number>;
}

const picturesOf = (visited: Visit) =>
  visited.page.locator('main img').evaluateAll((images) =>
    images.map((image) => {
      const { complete, naturalWidth } = image as unknown as {
        complete: boolean;
        naturalWidth: number;
      };
      return complete && naturalWidth > 0;
    }),
  );

/** Opens a vehicle's page, as a visitor would, and waits for its first picture. */
async function lookAt(browser: Browser, address: string): Promise<void> {
  await using visited = await visit(browser, address);
  await expect.poll(async () => (await picturesOf(visited))[0], { timeout: 20_000 }).toBe(true);
  expect(visited.problems).toEqual([]);
}

/**
 * The whole first day of a dealer's web person, without hands: clone, install, init, doctor, build,
 * look at it in a browser; and the second night, with other stock.
 */
export async function liveFirstDay(
  browser: Browser,
  { packages }: { packages: 'npm ci' | 'linked' },
): Promise<FirstDay> {
  await using folder = await temporaryFolder();
  const service = await startSampleService({
    dealers: 1,
    vehicles: 6,
    images: 4,
    fieldNames: REAL_FIELD_NAMES,
  });
  const site = path.join(folder.path, 'project', '_site');
  const cwd = path.join(folder.path, 'project');
  // Drawn once before the clock starts: a real service has its photographs already.
  for (const { mediaList } of service.data.dealers[0]?.vehicles ?? []) {
    for (const { id, type } of mediaList) {
      if (type === 'Image')
        await fetch(`${service.baseUrl}/pictures/${id}.jpg`).then((r) => r.arrayBuffer());
    }
  }
  const seconds: Record<string, number> = {};
  const timed = async <T>(step: string, work: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await work();
    seconds[step] = Math.round((performance.now() - start) / 100) / 10;
    return result;
  };
  const command = async (line: string, env: Record<string, string> = {}) => {
    const ran = await shell(line, { cwd, env });
    expect(ran, `${line}\n${ran.stdout}\n${ran.stderr}`).toMatchObject({ exitCode: 0 });
    return ran;
  };
  await timed('git clone', () => freshClone(cwd, packages === 'linked' ? 'linked' : 'none'));
  // The host, on which nothing lies yet.
  await mkdir(site);
  const server = await startStaticServer({ folder: site, port: 0 });
  try {
    if (packages === 'npm ci') {
      const installed = await timed('npm ci --omit=dev', () => command('npm ci --omit=dev'));
      // Of our own package at most, where the Node of the machine is old: it only has to run npm.
      const strangers = /EBADENGINE\s+package: '(?!vehicle-media-site@)[^']*'/g;
      expect(installed.stderr.match(strangers)).toBeNull();
      await expect(stat(path.join(cwd, 'node_modules/vitest'))).rejects.toThrow();
    }
    const init = await timed('npm run init', () =>
      command(
        `npm run init -- --service "${service.baseUrl}" --url "${server.url}" --title "Our Cars" ` +
          '--dealer "7001=Northgate Cars" --host cloudflare --ci github --detect',
        { MEDIA_API_KEY: service.mediaKey },
      ),
    );
    expect(init.stdout).toContain('Found the name of hosted videos: youTube');
    expect(init.stdout).toContain('0 errors');
    expect(init.stdout + init.stderr).not.toContain(service.mediaKey);

    const doctor = await timed('npm run doctor', () =>
      command('npm run --silent doctor -- --json'),
    );
    const told = JSON.parse(doctor.stdout);
    expect(told).toMatchObject({ ok: true, errors: 0 });
    const codes = told.findings.map(({ code }: { code: string }) => code);
    expect(codes).toEqual(
      expect.arrayContaining(['dealer-answers', 'pictures-arrive', 'host-fits']),
    );

    await timed('npm run build', () => command('npm run build'));
    const vehicles = service.data.dealers[0]?.vehicles ?? [];
    const withPicture = vehicles.filter(({ mediaList }) =>
      mediaList.some(({ type }) => type === 'Image'),
    );
    const [first, second] = withPicture as [VehicleMediaRecord, VehicleMediaRecord];
    const pageOf = ({ vrm }: VehicleMediaRecord) =>
      `${server.url}northgate-cars/${vrm.toLowerCase().replaceAll(' ', '')}/`;
    await timed('in the browser', () => lookAt(browser, pageOf(first)));

    // The second night: one vehicle is sold, one is new, one has another first picture.
    const fresh: VehicleMediaRecord = { ...structuredClone(first), vrm: 'NE26WAA' };
    vehicles.splice(vehicles.indexOf(first), 1, fresh);
    const picture = second.mediaList.find(({ type }) => type === 'Image');
    if (picture) service.data.touch(picture.id);
    second.dateUpdated = '2026-03-02T08:00:00Z';
    service.requests.clear();
    const night = await timed('the second night', () => command('npm run build'));
    expect(night.stdout).toContain('1 pictures downloaded');
    await lookAt(browser, pageOf(fresh));
    await lookAt(browser, pageOf(second));
    await using gone = await visit(browser, pageOf(first));
    await expect(gone.page.locator('main').textContent()).resolves.toMatch(
      /no longer|withdrawn|sold/i,
    );
    return { seconds };
  } finally {
    await server.close();
    await service.close();
  }
}
