import { describe, expect, it } from 'vitest';
import { startCommand } from '../support/command.ts';
import { expectPictures, type Site, servedOf } from '../support/hosts/change-set.ts';
import { clientOf, type HostKind, REMOTE_KINDS } from '../support/hosts/kinds.ts';
import { FIRST, SECOND, startWorld, type TestClock } from '../support/hosts/world.ts';

const isSite = (served: ReadonlyMap<string, string>, site: Site): boolean =>
  JSON.stringify([...served]) === JSON.stringify([...servedOf(site)]);

/** Every file is either old or new, and every page has its pictures. */
function checkMixed(served: ReadonlyMap<string, string>, why: string): void {
  for (const [name, text] of served) {
    expect([FIRST[name], SECOND[name]], `${why}: ${name}`).toContain(text);
  }
  expectPictures(served, why);
  for (const name of Object.keys(FIRST).filter((file) => file in SECOND && !file.startsWith('_'))) {
    expect(served.has(name), `${why}: ${name}`).toBe(true);
  }
}

/** @returns the method of that request. Undefined if there was no such request. */
async function killAt(
  kind: HostKind,
  request: number,
  carriesOut: boolean,
): Promise<string | undefined> {
  // The host's clock advances for the deploy in another process, and for deploys in this one, which do not
  // wait.
  let clock: TestClock | undefined;
  const began = Date.now();
  await using here = await startWorld(kind, {
    now: () => (clock?.time ?? 0) + Date.now() - began,
  });
  clock = here.clock;
  const server = here.host;
  await here.night(FIRST);
  here.expectServed(FIRST);
  const changes = await here.write(SECOND, { former: FIRST });
  const deploy = ['--folder', changes, '--json'];
  const why = `${kind.id}, killed at request ${request}`;

  const running = startCommand('deploy', deploy, server.environment());
  let killedAt: string | undefined;
  server.cut({
    request,
    carriesOut,
    onCut: (method) => {
      killedAt = method;
      running.child.kill('SIGKILL');
    },
  });
  const killed = await running.ended;
  await server.idle();
  server.cut(undefined);
  // Abandoned locks have expired.
  clock.time += 120_000;
  expect(killed.exitCode, why + killed.stderr).toBe(killedAt ? null : 0);
  const left = here.served();
  if (kind.id === 's3') checkMixed(left, why);
  else expect(isSite(left, FIRST) || isSite(left, SECOND), why).toBe(true);

  const { secrets } = await clientOf(kind.id, server.environment());
  for (const secret of secrets) expect(killed.stdout + killed.stderr).not.toContain(secret);
  // In this process, because only the killed deploy needs a separate one.
  expect(await here.deploy(changes)).toMatchObject({ live: 'as-sent', form: 'thin' });
  here.expectServed(SECOND, why);
  return killedAt;
}

describe.each(REMOTE_KINDS)('npm run deploy to $id', (kind) => {
  it('killed at any request, carried out or not, is completed by the next deploy', async () => {
    let request = 1;
    for (; ; request++) {
      const method = await killAt(kind, request, false);
      if (!method) break;
      // The host is the same after a request that only reads.
      if (!/GET|HEAD/.test(method)) await killAt(kind, request, true);
    }
    expect(request).toBeGreaterThan(6);
  }, 600_000);
});
