import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/build.ts';
import { runCommand, startCommand } from '../support/command.ts';
import { type Site, servedOf, textsOf, writeChanges } from '../support/hosts/change-set.ts';
import { startS3Host } from '../support/s3-host.ts';

const PICTURE = (digit: number) => `media/ab/${`${digit}`.repeat(18)}-320-abcdef.webp`;
const FIRST: Site = {
  'index.html': `<p>1 ${PICTURE(1)}`,
  'one/index.html': `<p>one ${PICTURE(1)}`,
  'two/index.html': `<p>two ${PICTURE(2)}`,
  'api/records/times.json': 'night 1',
  [PICTURE(1)]: 'picture 1',
  [PICTURE(2)]: 'picture 2',
};
const SECOND: Site = {
  'index.html': `<p>2 ${PICTURE(3)}`,
  'one/index.html': `<p>one ${PICTURE(1)}`,
  'three/index.html': `<p>three ${PICTURE(3)}`,
  'api/records/times.json': 'night 2',
  [PICTURE(1)]: 'picture 1',
  [PICTURE(3)]: 'picture 3',
};

describe('a deploy to S3 that is killed', () => {
  it('at any request shows no page without its pictures, and the next one ends it', async () => {
    await using folder = await temporaryFolder();
    for (let request = 1; ; request++) {
      let time = Date.parse('2026-03-02T02:00:00Z');
      await using host = await startS3Host({ now: () => time });
      const changes = path.join(folder.path, 'changes');
      const set = { url: host.siteUrl, built: '2026-03-02T02:00:00.000Z' };
      const args = ['--folder', changes, '--no-check', '--json'];
      await writeChanges(changes, FIRST, set);
      expect(await runCommand('deploy', args, host.environment())).toMatchObject({ exitCode: 0 });
      await writeChanges(changes, SECOND, { ...set, former: FIRST });
      const running = startCommand('deploy', args, host.environment());
      let seen = 0;
      host.onRequest = () => {
        if (++seen === request) running.child.kill('SIGKILL');
      };
      const { exitCode } = await running.ended;
      host.onRequest = undefined;
      if (seen < request) {
        expect(exitCode).toBe(0);
        expect(request).toBeGreaterThan(10);
        return;
      }
      const served = textsOf(host.served());
      for (const text of served.values()) {
        for (const picture of text.match(/media\/\S+/g) ?? []) {
          expect(served.has(picture), `request ${request}`).toBe(true);
        }
      }
      // A night later.
      time += 86_400_000;
      const next = await runCommand('deploy', args, host.environment());
      expect(next, `request ${request}`).toMatchObject({ exitCode: 0 });
      expect(textsOf(host.served()), `request ${request}`).toEqual(servedOf(SECOND));
      expect(host.objects.has('/cars/.deploying.json')).toBe(false);
    }
  }, 300_000);
});
