import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/build.ts';
import { runCommand, startCommand } from '../support/command.ts';
import { type Site, servedOf, textsOf, writeChanges } from '../support/hosts/change-set.ts';
import type { HostServer } from '../support/hosts/host.ts';
import { clientOf, type HostKind, REMOTE_KINDS } from '../support/hosts/kinds.ts';
import { deployFolder } from '../support/hosts/world.ts';

const OLD: Site = {
  'index.html': '<html>front <img src="media/ab/0123456789abcdef-320-one.webp">',
  '404.html': '<html>not here',
  _headers: '/media/*\n  Cache-Control: public, max-age=31536000, immutable\n',
  'one/index.html': '<html>dealer one <img src="media/ab/0123456789abcdef-320-one.webp">',
  'one/1001/index.html': '<html>sold tonight <img src="media/cd/0123456789abcdef-320-two.webp">',
  'one/media.json': '{"vehicles":["1001"]}',
  'api/records/times.json': '{"night":1}',
  'media/ab/0123456789abcdef-320-one.webp': 'picture one',
  'media/cd/0123456789abcdef-320-two.webp': 'picture two',
};
const { 'one/1001/index.html': _, 'media/cd/0123456789abcdef-320-two.webp': __, ...left } = OLD;
const NEW: Site = {
  ...left,
  'one/index.html': '<html>dealer one <img src="media/ef/0123456789abcdef-320-new.webp">',
  'one/1002/index.html': '<html>new <img src="media/ef/0123456789abcdef-320-new.webp">',
  'one/media.json': '{"vehicles":["1002"]}',
  'api/records/times.json': '{"night":2}',
  'media/ef/0123456789abcdef-320-new.webp': 'picture three',
};

const isSite = (served: ReadonlyMap<string, string>, site: Site): boolean =>
  JSON.stringify([...served]) === JSON.stringify([...servedOf(site)]);

/** Every file is the old one or the new one, and every page has its pictures. */
function checkMixed(served: ReadonlyMap<string, string>, why: string): void {
  for (const [name, text] of served) {
    expect([OLD[name], NEW[name]], `${why}: ${name}`).toContain(text);
    for (const [, picture = ''] of text.matchAll(/src="(media\/[^"]+)"/g)) {
      expect(served.has(picture), `${why}: ${picture} of ${name}`).toBe(true);
    }
  }
  for (const name of Object.keys(OLD).filter((file) => file in NEW && !file.startsWith('_'))) {
    expect(served.has(name), `${why}: ${name}`).toBe(true);
  }
}

async function seed(kind: HostKind, server: HostServer, folder: string): Promise<void> {
  const clock = { now: Date.now, sleep: async () => {} };
  const changes = path.join(folder, 'old');
  await writeChanges(changes, OLD, { url: server.siteUrl, built: '2026-03-01T02:00:00.000Z' });
  await deployFolder(changes, {
    ...(await clientOf(kind.id, server.environment())),
    clock: { ...clock, sleep: (ms) => new Promise((done) => setTimeout(done, Math.min(ms, 50))) },
  });
  expect(isSite(textsOf(server.served()), OLD)).toBe(true);
}

/** @returns whether there was such a request at all. */
async function killAt(kind: HostKind, request: number, carriesOut: boolean): Promise<boolean> {
  await using folder = await temporaryFolder();
  let later = 0;
  await using server = await kind.start({ now: () => Date.now() + later });
  await seed(kind, server, folder.path);
  const changes = path.join(folder.path, 'new');
  const night = { url: server.siteUrl, built: '2026-03-02T02:00:00.000Z', former: OLD };
  await writeChanges(changes, NEW, night);
  const deploy = ['--folder', changes, '--json'];
  const why = `${kind.id}, killed at request ${request}`;

  const running = startCommand('deploy', deploy, server.environment());
  let isKilled = false;
  server.cut({
    request,
    carriesOut,
    onCut: () => {
      isKilled = true;
      running.child.kill('SIGKILL');
    },
  });
  const killed = await running.ended;
  await server.idle();
  server.cut(undefined);
  // Locks that nobody keeps have run out.
  later = 120_000;
  expect(killed.exitCode, why + killed.stderr).toBe(isKilled ? null : 0);
  const left = textsOf(server.served());
  if (kind.id === 's3') checkMixed(left, why);
  else expect(isSite(left, OLD) || isSite(left, NEW), why).toBe(true);

  const next = await runCommand('deploy', deploy, server.environment());
  expect(next.exitCode, why + next.stderr).toBe(0);
  expect(textsOf(server.served()), why).toEqual(servedOf(NEW));
  const said = [killed, next].map(({ stdout, stderr }) => stdout + stderr).join('\n');
  const { secrets } = await clientOf(kind.id, server.environment());
  for (const secret of secrets) expect(said).not.toContain(secret);
  expect(JSON.parse(next.stdout)).toMatchObject({ live: 'as-sent', form: 'thin' });
  return isKilled;
}

describe.each(REMOTE_KINDS)('npm run deploy to $id', (kind) => {
  it.each([
    ['not carried out', false],
    ['carried out', true],
  ])(
    'killed at any request (%s) is ended by the next one',
    async (_name, carriesOut) => {
      let request = 1;
      while (await killAt(kind, request, carriesOut)) request++;
      expect(request).toBeGreaterThan(6);
    },
    600_000,
  );
});
