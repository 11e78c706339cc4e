import { describe, expect, it } from 'vitest';
import type { LostContent } from '../../../src/deploy/host-api/lost-content.ts';
import { temporaryFolder } from '../../support/build.ts';
import {
  type Site,
  servedOf,
  textsOf,
  writeChanges,
  writeSite,
} from '../../support/hosts/change-set.ts';
import { failureOf, testClock } from '../../support/hosts/deploys.ts';
import { deploy, FIRST, PICTURE, SECOND } from '../../support/hosts/s3-deploys.ts';
import { type S3Host, startS3Host } from '../../support/hosts/s3.ts';

/** No page lacks a picture that it names. */
function expectPictures(host: S3Host): void {
  const served = textsOf(host.served());
  for (const [name, text] of served) {
    if (!name.endsWith('.html')) continue;
    for (const picture of text.match(/media\/\S+/g) ?? []) {
      expect(served.has(picture), `${name} names ${picture}`).toBe(true);
    }
  }
}

describe('a deploy of a change set to S3', () => {
  const thin = async (
    root: string,
    host: S3Host,
    site: Site,
    former?: Site,
    built = '2026-03-02T02:00:00.000Z',
  ) => {
    const folder = `${root}/changes`;
    await writeChanges(folder, site, { url: host.siteUrl, built, former });
    return folder;
  };

  it('sends what is on this disk and removes what is gone, and asks for nothing else', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host();
    const first = await deploy(host, await thin(folder.path, host, FIRST));
    expect(first.files).toBe(7);
    host.requests.length = 0;
    const second = await deploy(host, await thin(folder.path, host, SECOND, FIRST));
    expect(second).toMatchObject({ files: 5, removed: 2, unchanged: 2 });
    expect(textsOf(host.served())).toEqual(servedOf(SECOND));
    const work = host.work();
    // Pages are sent at the same time.
    expect([...work.slice(0, 4), ...work.slice(4, 7).sort(), ...work.slice(7)]).toEqual([
      'GET /cars/.deployed.json',
      'GET /cars?list-type=2&prefix=',
      'GET /cars/.deployed.json',
      `PUT /cars/${PICTURE(3)}`,
      'PUT /cars/index.html',
      'PUT /cars/one/index.html',
      'PUT /cars/three/index.html',
      'PUT /cars/api/records/times.json',
      'PUT /cars/.deployed.json',
      'DELETE /cars/two/index.html',
      `DELETE /cars/${PICTURE(2)}`,
    ]);
    // A night without changes: the times, and what says so.
    const third = { ...SECOND, 'api/records/times.json': 'night 3' };
    const { requests, files } = await deploy(host, await thin(folder.path, host, third, SECOND));
    expect(files).toBe(1);
    expect(requests).toBeLessThanOrEqual(12);
    expect(textsOf(host.served())).toEqual(servedOf(third));
  });

  it('carries out what a plan said, and plans again where the bucket has changed since', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host();
    await deploy(host, await thin(`${folder.path}/1`, host, FIRST));
    const changes = await thin(`${folder.path}/2`, host, SECOND, FIRST);
    const other = await thin(`${folder.path}/3`, host, { ...FIRST, 'four/index.html': '<p>4' });
    const sent = await deploy(host, changes, {
      onPlan: async () => void (await deploy(host, other)),
    });
    expect(sent.remove).not.toContain('four/index.html');
    expect(textsOf(host.served())).toEqual(servedOf(SECOND));
  });

  it('takes content that is not on this disk from the live site, where it is by its hash', async () => {
    await using folder = await temporaryFolder();
    await using old = await startS3Host();
    await using host = await startS3Host();
    await deploy(old, await thin(folder.path, old, FIRST));
    // The build knows the old host's site; the new one has nothing of it.
    const sent = await deploy(host, await thin(folder.path, old, SECOND, FIRST));
    expect(sent.fetched).toEqual({ files: 2, bytes: Buffer.byteLength('picture 1{}') });
    expect(textsOf(host.served())).toEqual(servedOf(SECOND));
  });

  it('neither sends nor removes anything where content is lost, and names all of it', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host();
    await deploy(host, await thin(folder.path, host, FIRST));
    const before = textsOf(host.served());
    const third = { ...SECOND, 'two/index.html': '<p>2', 'index.html': 'x' };
    // Of a base that is not what the bucket has: it knows nothing of two/ as it was then.
    const changes = await thin(folder.path, host, third, {
      ...third,
      'api/records/times.json': 'another night',
    });
    host.requests.length = 0;
    const error = await failureOf(deploy(host, changes));
    expect(error).toMatchObject({ code: 'deploy-content-lost', exitCode: 5 });
    expect((error as LostContent).files.map((file) => file.path)).toEqual([
      'index.html',
      PICTURE(3),
      'one/index.html',
      'three/index.html',
      'two/index.html',
    ]);
    expect(textsOf(host.served())).toEqual(before);
    expect(host.work().filter((one) => !/^(?:GET|HEAD)/.test(one))).toEqual([]);
    expect(host.objects.has('/cars/.deploying.json')).toBe(false);
  });

  it.each([
    ['not carried out', 'the same one', false],
    ['carried out, its answer lost', 'the same one', true],
    ['not carried out', 'the former one', false],
    ['carried out, its answer lost', 'the former one', true],
    ['not carried out', 'a whole one', false],
  ])(
    'is ended by the next after a cut at any request (%s; next is %s)',
    async (_, then, carriesOut) => {
      await using folder = await temporaryFolder();
      for (let request = 1; ; request++) {
        const clock = testClock();
        await using host = await startS3Host({ now: clock.now });
        const first = await thin(`${folder.path}/1`, host, FIRST);
        const second = await thin(`${folder.path}/2`, host, SECOND, FIRST);
        await deploy(host, first, { clock });
        const controller = new AbortController();
        let isCut = false;
        const onCut = () => {
          isCut = true;
          controller.abort();
        };
        host.cut({ request, carriesOut, onCut });
        await deploy(host, second, { clock, signal: controller.signal }).catch(() => {});
        host.cut(undefined);
        expectPictures(host);
        clock.time += 120_000;
        let next = second;
        if (then === 'the former one') next = first;
        if (then === 'a whole one') {
          next = `${folder.path}/3`;
          await writeSite(next, SECOND);
        }
        await deploy(host, next, { clock, takeOver: true });
        expectPictures(host);
        const site = then === 'the former one' ? FIRST : SECOND;
        expect(textsOf(host.served()), `cut at request ${request}`).toEqual(servedOf(site));
        expect(host.objects.has('/cars/.deploying.json')).toBe(false);
        host.requests.length = 0;
        await deploy(host, next, { clock, takeOver: true });
        expect(textsOf(host.served())).toEqual(servedOf(site));
        expect(host.work().filter((one) => one.startsWith('DELETE'))).toEqual([]);
        if (!isCut) {
          expect(request).toBeGreaterThan(12);
          return;
        }
      }
    },
  );
});
