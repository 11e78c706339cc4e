import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { startStaticServer } from '../../src/lib/static-server/server.ts';
import type { SampleService } from '../../src/sample-service/server.ts';
import { freshClone, shell } from '../support/checkout.ts';
import { NOT_RUN } from '../support/docs-elsewhere.ts';
import { readDocumentation } from '../support/documentation.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startLasting } from '../support/lasting.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Commands that run until Ctrl-C, and their output once they are ready. */
const LASTING: Readonly<Record<string, RegExp>> = {
  'npm run service': /Sample service: (http:\S+)/,
  'npm run dev': /The site is at (http:\S+)/,
  'npm run preview': /The site is at (http:\S+)/,
};

/** Commands about a person or batch missing from this history: nothing matches (exit code 8). */
const ABOUT_OTHERS = /batches -- forget /;

/** A script is identified by the name in its second line. */
const nameOf = (command: string): string =>
  command.startsWith('#!') ? (/^# (\S+)$/m.exec(command)?.[1] ?? command) : command;

const commands = [
  ...new Set((await readDocumentation()).flatMap((page) => page.commands.map(nameOf))),
];
const toRun = commands.filter((command) => !NOT_RUN.has(command));

/** A dealer's project after the first day, with an additional account for batches. */
const folder = tempFolder();
const project = path.join(folder, 'project');
const service = await forAllTests(startService({ dealers: 1, vehicles: 2, images: 2 }));
const served = path.join(folder, 'served');
const server = await forAllTests(
  startStaticServer({ folder: path.join(served, 'current'), port: 0 }),
);
const env: Record<string, string> = {
  BATCH_API_KEY: service.batchKey,
  BATCH_HASH_KEY: 'a key of at least thirty-two characters',
  DEPLOY_TO: 'folder',
  DEPLOY_FOLDER: served,
};
await freshClone(project, 'linked');
const init = await shell(
  `npm run init -- --service "${service.baseUrl}" --url ${server.url.replace(/\/$/, '')} --dealer "7001=Northgate Cars"`,
  { cwd: project, env: { MEDIA_API_KEY: service.mediaKey } },
);
expect(init, init.stdout + init.stderr).toMatchObject({ exitCode: 0 });
const [account] = service.data.accounts;
const file = path.join(project, 'site.config.ts');
const accounts = JSON.stringify([
  { ...pick(account), name: 'northgate', apiKeyEnv: 'BATCH_API_KEY', daysOfHistory: 400 },
]);
const config = await readFile(file, 'utf8');
await writeFile(file, config.replace(/\}\);\s*$/, `  accounts: ${accounts},\n});\n`));
// To detect every change by a generator.
const author = '-c user.name=A -c user.email=a@cars.test';
await shell(`git add -A; git ${author} commit -qm set-up`, { cwd: project });

function pick(account: SampleService['data']['accounts'][number] | undefined) {
  if (!account) throw new Error('the sample service has no account');
  const { customerId, pathId } = account;
  return { customerId, pathId };
}

/** Starts a command like a shell, waits until it is ready, checks it, and presses Ctrl-C. */
async function lookAndEnd(command: string, ready: RegExp): Promise<void> {
  await using running = await startLasting(command, ready, { cwd: project, env });
  const answer = await fetch(running.address);
  expect(answer.status).toBe(200);
  await running.end();
  await expect(fetch(running.address)).rejects.toThrow();
}

describe('commands of the documentation', () => {
  it('run here or are in the list of exceptions', () => {
    expect(toRun.length).toBeGreaterThan(20);
    const listed = [...NOT_RUN, ...Object.keys(LASTING)];
    expect(listed.filter((command) => !commands.includes(command))).toEqual([]);
  });

  it.each(toRun)('%s', async (command) => {
    const ready = LASTING[command];
    if (ready) return lookAndEnd(command, ready);
    const ran = await shell(command, { cwd: project, env });
    expect(ran, `${ran.stdout}\n${ran.stderr}`).toMatchObject({
      exitCode: ABOUT_OTHERS.test(command) ? 8 : 0,
    });
    expect(ran.stdout + ran.stderr).not.toMatch(/^\s+at .*:\d+/m);
    // "Load it and take it away", as the page describes exports since last.
    await rm(path.join(project, '.batches/exports/new.csv'), { force: true });
  });

  it('produced the promised files', async () => {
    const { stdout } = await shell(
      'ls -A; ls .batches/report; git status --porcelain -- docs src',
      { cwd: project },
    );
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining(['_site', 'build-report.json', '.batches', 'index.html']),
    );
    // Generated files were up to date.
    expect(stdout).not.toMatch(/^ ?[AMD?]+ /m);
    expect((await fetch(server.url)).status).toBe(200);
  });
});
