import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHANGES, readChanges } from '../../src/change-set/change-set.ts';
import { HOSTS } from '../../src/config/hosts.ts';
import type { VehicleMediaRecord } from '../../src/contract/media.ts';
import { fileHash } from '../../src/record/files.ts';
import { startSampleService } from '../../src/sample-service/server.ts';
import { readTree, temporaryFolder } from '../support/build.ts';
import { type ShellOptions, shell } from '../support/checkout.ts';
import { notDeployed } from '../support/deploy-world.ts';
import { type HostSection, hostSections } from '../support/documentation.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { type Front, startFront } from '../support/front.ts';
import { startCloudflareWorkersHost } from '../support/hosts/cloudflare-workers.ts';
import { startFolderHost } from '../support/hosts/folder.ts';
import type { HostServer } from '../support/hosts/host.ts';
import { startNetlifyHost } from '../support/hosts/netlify.ts';
import { startS3Host } from '../support/hosts/s3.ts';
import { linkedProject } from '../support/project.ts';

/** @param now clock of the host for its limits per minute, in milliseconds since 1970. */
async function placeOf(id: string, folder: string, now: () => number): Promise<HostServer> {
  const starters = {
    'cloudflare-workers': () => startCloudflareWorkersHost(),
    // It accepts few deploys a minute, and nights here are seconds apart.
    netlify: () => startNetlifyHost({ now }),
    s3: () => startS3Host(),
    folder: async () => {
      await mkdir(path.join(folder, 'srv'));
      return startFolderHost({ into: path.join(folder, 'srv/cars') });
    },
  };
  return await starters[id as keyof typeof starters]();
}

const service = await forAllTests(
  startSampleService({ dealers: 1, vehicles: 4, images: 2, pictureScale: 0.25 }),
);
const sections = await hostSections();
const page = await readFile('docs/hosting.md', 'utf8');
const sectionOf = (id: string): HostSection => {
  const found = sections.find(({ deployTo }) => deployTo === id);
  if (!found) throw new Error(`docs/hosting.md says nothing of ${id}`);
  return found;
};
/** A file of the user, in the folder static/. */
const USER_FILE = '.well-known/security.txt';

/** The text of the only code block that contains the given words. */
function block(text: string, words: string): string {
  const blocks = [...text.matchAll(/^( *)```\w*\n([\s\S]*?)^\1```$/gm)]
    .map(([, , content = '']) => content)
    .filter((content) => content.includes(words));
  if (blocks.length !== 1) throw new Error(`${blocks.length} blocks of code have ${words}`);
  return blocks[0] ?? '';
}

describe.each(HOSTS.filter(({ form }) => form === 'thin'))(
  '$name, following only docs/hosting.md',
  ({ id }) => {
    let folder: Awaited<ReturnType<typeof temporaryFolder>>;
    let front: Front;
    let place: HostServer;
    let project: string;
    /** The sites of the first two nights. */
    let first: Map<string, Buffer>;
    let second: Map<string, Buffer>;
    /** Milliseconds that the nights were shorter than real ones. */
    let passed = 0;

    const run = async (line: string, env: ShellOptions['env'] = {}) => {
      // The fake server's URL replaces the real one. All other values come from .env.
      const elsewhere = Object.entries(place.environment()).filter(([name]) =>
        /_API_URL$/.test(name),
      );
      const ran = await shell(line, {
        cwd: project,
        env: { ...Object.fromEntries(elsewhere), ...env },
      });
      for (const { name, kind } of sectionOf(id).names) {
        const value = place.environment()[name];
        if (kind === 'secret' && value) expect(ran.stdout + ran.stderr).not.toContain(value);
      }
      return ran;
    };
    const runs = async (line: string, env?: ShellOptions['env']) => {
      const ran = await run(line, env);
      expect(ran, `${line}\n${ran.stdout}\n${ran.stderr}`).toMatchObject({ exitCode: 0 });
      return ran.stdout;
    };
    const built = (name: string) => readTree(path.join(project, name));
    /** The next night with a change. */
    const nextNight = () => {
      passed += 86_400_000;
      const pictures = (vehicle: VehicleMediaRecord) =>
        vehicle.mediaList.filter(({ type }) => type === 'Image').length;
      const vehicle = service.data.dealers[0]?.vehicles.find((one) => pictures(one) > 1);
      vehicle?.mediaList.reverse();
    };

    beforeAll(async () => {
      folder = await temporaryFolder();
      // The path in the line for cron.
      project = path.join(folder.path, 'site');
      place = await placeOf(id, folder.path, () => Date.now() + passed);
      front = await startFront(place.siteUrl);
      await linkedProject(project);
    });
    afterAll(async () => {
      await front?.[Symbol.asyncDispose]();
      await place?.[Symbol.asyncDispose]();
      await folder?.[Symbol.asyncDispose]();
    });

    it('is set up by init with the values of its table', async () => {
      const init = await runs(
        `npm run init -- --service "${service.baseUrl}" --url ${front.url} --dealer "7001=Northgate Cars" --host ${id}`,
        { MEDIA_API_KEY: service.mediaKey },
      );
      expect(init).toContain('0 errors');
      const file = path.join(project, '.env');
      let text = await readFile(file, 'utf8');
      for (const { name } of sectionOf(id).names) {
        const value = place.environment()[name];
        // Optional values stay empty.
        if (value === undefined || name === 'DEPLOY_TO') continue;
        expect(text, 'a line to fill in').toMatch(new RegExp(`^${name}=$`, 'm'));
        text = text.replace(new RegExp(`^${name}=$`, 'm'), `${name}=${value}`);
      }
      await writeFile(file, text);
      const doctor = await runs('npm run --silent doctor -- --json');
      const codes = JSON.parse(doctor).findings.map(({ code }: { code: string }) => code);
      expect(codes).toContain('host-fits');
      expect(
        codes.filter((code: string) => /^host-(?:variables|settings|rewrites)/.test(code)),
      ).toEqual([]);
    });

    it('gets its site manually, after a dry run that changes nothing', async () => {
      const [dryRun = '', deploy = ''] = block(page, '--dry-run').trim().split('\n');
      await runs('npm run build');
      const printed = await runs(dryRun);
      expect(place.served().size).toBe(0);
      expect(printed).not.toBe('');
      await runs(deploy);
      first = place.served();
      expect(notDeployed(await built('_site'), (file) => first.get(file))).toEqual([]);
    });

    it('gets only changes on the next night, and user files', async () => {
      await mkdir(path.join(project, 'static/.well-known'), { recursive: true });
      await writeFile(path.join(project, 'static', USER_FILE), 'Contact: mailto:a@cars.test\n');
      nextNight();
      // Like in a workflow, only the project exists at the start.
      await runs('rm -rf _site .cache ._site.work');
      await runs('npm run build -- --strict', { CI: 'true' });
      expect((await built('_changes/files')).size).toBeLessThan(0.6 * first.size);
      await runs(block(page, 'cp -R static/.').trim());
      await runs('npm run deploy -- --folder _changes', { CI: 'true' });
      second = place.served();
      const listed = (await readChanges(path.join(project, '_changes', CHANGES)))?.files.values();
      const hashes = new Map([...(listed ?? [])].map((file) => [file.path, file.hash]));
      hashes.delete('_headers');
      hashes.set(USER_FILE, fileHash('Contact: mailto:a@cars.test\n'));
      expect(new Map([...second].map(([file, bytes]) => [file, fileHash(bytes)]))).toEqual(hashes);
      const pages = [...second.keys()].filter((file) => file.endsWith('.html'));
      const changed = pages.filter((file) => String(first.get(file)) !== String(second.get(file)));
      expect(changed.length).toBeGreaterThan(0);
    });

    it('gets the next site without removed user files', async () => {
      nextNight();
      await runs('rm -rf _changes');
      const [, cron = ''] =
        /^ *(?:\S+ ){5}(cd .*)$/m.exec(block(sectionOf('folder').text, '3 * * * cd')) ?? [];
      const printed = await runs(cron, { HOME: folder.path });
      // The output that cron would mail.
      expect(printed).toBe('');
      const served = place.served();
      const site = await built('_site');
      expect(notDeployed(site, (file) => served.get(file))).toEqual([]);
      expect(served.size).toBe([...site.keys()].filter((file) => file !== '_headers').length);
    });

    it.skipIf(id === 's3')('rolls back', async () => {
      const releases = await runs('npm run --silent deploy -- --releases');
      expect(releases.trim().split('\n')).toHaveLength(3);
      await runs('npm run deploy -- --rollback');
      const served = place.served();
      expect([...served.keys()]).toEqual([...second.keys()]);
      for (const [file, bytes] of second) expect(served.get(file)?.equals(bytes), file).toBe(true);
    });
  },
);
