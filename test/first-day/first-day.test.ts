import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { expect, inject, it } from 'vitest';
import { startStaticServer } from '../../src/lib/static-server/server.ts';
import { REAL_FIELD_NAMES } from '../../src/sample-service/options.ts';
import { startSampleService } from '../../src/sample-service/server.ts';
import { launchBrowser } from '../support/browser.ts';
import { temporaryFolder } from '../support/build.ts';
import { shell } from '../support/checkout.ts';
import { startLasting } from '../support/lasting.ts';
import { visit } from '../support/page.ts';
import { CREATE, NODE_FOLDER } from '../support/project.ts';
import { startRegistry } from '../support/registry.ts';

/** Opens a vehicle's page like a visitor and waits for its first picture. */
async function lookAt(browser: Browser, address: string): Promise<void> {
  await using page = await visit(browser, address);
  const picture = page.locator('main img').first();
  const width = () =>
    picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
  await expect.poll(width, { timeout: 20_000 }).toBeGreaterThan(0);
}

it('an empty folder becomes a site in the browser: npm create, dev, doctor, build', async () => {
  await using browser = await launchBrowser();
  await using folder = await temporaryFolder();
  await using service = await startSampleService({
    dealers: 2,
    vehicles: 3,
    images: 2,
    fieldNames: REAL_FIELD_NAMES,
  });
  await using registry = await startRegistry(folder.path);
  const at = (name: string) => path.join(folder.path, name);
  const cwd = at('project');
  // The empty host.
  const host = at('host');
  await mkdir(host);
  await using server = await startStaticServer({ folder: host, port: 0 });
  // Drawn before the clock starts, because a real service has its photos already.
  const listed = service.data.dealers.flatMap(({ vehicles }) => vehicles);
  for (const { id, type } of listed.flatMap(({ mediaList }) => mediaList)) {
    if (type === 'Image')
      await fetch(`${service.baseUrl}/pictures/${id}.jpg`).then((r) => r.arrayBuffer());
  }
  const shown = `northgate-cars/${listed[0]?.vrm.toLowerCase().replaceAll(' ', '')}/`;
  const seconds: Record<string, number> = {};
  const timed = async <T>(step: string, work: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await work();
    seconds[step] = Math.round((performance.now() - start) / 100) / 10;
    return result;
  };
  const command = async (line: string, env: Record<string, string> = {}, folder = cwd) => {
    const ran = await shell(line, {
      cwd: folder,
      env: { ...registry.env, GIT_CONFIG_GLOBAL: at('gitconfig'), ...env },
      path: [NODE_FOLDER],
    });
    expect(ran, `${line}\n${ran.stdout}\n${ran.stderr}`).toMatchObject({ exitCode: 0 });
    return ran;
  };
  const flags =
    `--service "${service.baseUrl}" --url "${server.url}" --title "Our Cars" ` +
    '--dealer "7001=Northgate Cars" --dealer "7002=Southgate Cars" --host cloudflare --ci github --detect';
  const key = { MEDIA_API_KEY: service.mediaKey };
  await writeFile(at('gitconfig'), '[user]\n  name = A\n  email = a@cars.test\n');
  await registry.publish(inject('packed').program);
  await registry.publish(CREATE);
  const init = await timed('npm create', () =>
    // Without a terminal, npm needs a flag to download the create package.
    command(`npm create --yes vehicle-media-site@latest project -- ${flags}`, key, folder.path),
  );
  expect(init.stdout).toMatch(/^ {2}cd project\n {2}npm run dev /m);
  await expect(stat(path.join(cwd, 'node_modules/vitest'))).rejects.toThrow();
  const tracked = (await command('git ls-files')).stdout.split('\n');
  const files = ['site.config.ts', 'package.json', 'package-lock.json'];
  expect(tracked).toEqual(expect.arrayContaining(files));
  expect(tracked).not.toContain('.env');
  expect(await readFile(path.join(cwd, '.env'), 'utf8')).toContain(service.mediaKey);
  expect(init.stdout).toContain('Found names of fields: youTube');
  expect(init.stdout).toContain('0 errors');
  expect(init.stdout + init.stderr).not.toContain(service.mediaKey);
  await timed('npm run dev', async () => {
    const line = 'cd project && npm run dev';
    await using site = await startLasting(line, /The site is at (http:\S+)/, {
      cwd: folder.path,
      env: {},
      path: [NODE_FOLDER],
    });
    await lookAt(browser, site.address + shown);
  });
  await rm(path.join(cwd, '.cache'), { recursive: true });

  const doctor = await timed('npm run doctor', () => command('npm run --silent doctor -- --json'));
  const diagnosis = JSON.parse(doctor.stdout);
  expect(diagnosis).toMatchObject({ ok: true, errors: 0 });
  const codes = diagnosis.findings.map(({ code }: { code: string }) => code);
  expect(codes).toEqual(expect.arrayContaining(['dealer-answers', 'pictures-arrive', 'host-fits']));

  await timed('npm run build', () => command('npm run build'));
  await rm(host, { recursive: true });
  await rename(path.join(cwd, '_site'), host);
  await timed('in the browser', () => lookAt(browser, server.url + shown));
  // init has committed all files that git does not ignore.
  expect((await command('git status --short')).stdout).toBe('');

  const three = (seconds['npm create'] ?? 0) + (seconds['npm run dev'] ?? 0);
  const total = Object.values(seconds).reduce((sum, value) => sum + value, 0);
  const steps = Object.entries(seconds).map(([step, value]) => `  ${step}: ${value} s`);
  console.log(
    `From an empty folder to a vehicle's page in the browser: ${three.toFixed(1)} s; built and published: ${total.toFixed(1)} s\n${steps.join('\n')}`,
  );
  // The guarantee for users.
  expect(total).toBeLessThan(15 * 60);
});
