import { readdirSync, readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SampleService } from '../../src/sample-service/index.ts';
import { temporaryFolder } from '../support/build.ts';
import { configText, type Installed, installedProject } from '../support/installed.ts';
import { startLasting } from '../support/lasting.ts';
import { writeFilesBelow } from '../support/theme.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let project: Installed;
let service: SampleService;

const at = (...names: string[]) => path.join(project.folder, ...names);
const here = () => ({ cwd: project.folder, env: {}, path: project.path });
const command = (line: string) =>
  project.run(`npx vehicle-media-site ${line}`, {
    env: { MEDIA_API_KEY: service.mediaKey, BATCH_API_KEY: service.batchKey },
  });

beforeAll(async () => {
  folder = await temporaryFolder();
  project = await installedProject(path.join(folder.path, 'project'));
  service = await project.startService({ dealers: 3, vehicles: 2, images: 2 });
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

describe('an installed program', () => {
  it('uses a theme and custom pages with a configuration in TypeScript', async () => {
    await writeFilesBelow(project.folder, {
      'site.config.ts': configText(service),
      'eleventy.config.ts': `interface Config {
  addFilter(name: string, filter: (text: string) => string): void;
}
export default (config: Config) => config.addFilter('loud', (text: string) => text.toUpperCase());
`,
      'pages/_data/hours.json': '"08:30 to 18:00"',
      'pages/about.njk':
        '---\ntitle: About us\n---\n{% extends "layouts/base.njk" %}{% block content %}<h1>{{ page_.heading }}</h1><p>{{ "open" | loud }} {{ hours }}: {{ vehicles.length }} cars</p>{% endblock %}',
      'theme/partials/foot.njk': '<a href="{{ site.home }}about/">About us</a>',
    });
    await command('build --first');
    expect(await readFile(at('_site/about/index.html'), 'utf8')).toContain(
      '<p>OPEN 08:30 to 18:00: 6 cars</p>',
    );
    expect(await readFile(at('_site/index.html'), 'utf8')).toMatch(/about\/">About us<\/a>/);
    expect((await project.report()).media).toMatchObject({ failed: 0 });
    const line = 'npx vehicle-media-site preview --port 0';
    await using preview = await startLasting(line, /The site is at (http:\S+)/, here());
    expect(await (await fetch(preview.address)).text()).toContain('About us');
    for (const name of ['eleventy.config.ts', 'pages', 'theme', '_site'])
      await rm(at(name), { recursive: true });
  });

  it('includes the sample service', async () => {
    const line = 'npx vehicle-media-site service --port 0';
    await using sample = await startLasting(line, /Sample service: (http:\S+)/, here());
    expect((await fetch(`${sample.address}/openapi.json`)).status).toBe(200);
  });

  it('pulls batches and exports them', async () => {
    const [account] = service.data.accounts;
    if (!account) throw new Error('no account');
    const { customerId, pathId } = account;
    const accounts = [{ name: 'north', customerId, pathId, daysOfHistory: 30 }];
    await writeFilesBelow(project.folder, {
      'site.config.ts': configText(service, { accounts }),
    });
    expect(await command('batches pull')).toContain('north');
    await command('batches export --format csv --pii full --output batches.csv');
    const lines = (await readFile(at('batches.csv'), 'utf8')).trim().split(/\r?\n/);
    expect(lines.length).toBeGreaterThan(5);
  });

  it.skipIf(process.platform !== 'linux' || availableParallelism() < 2)(
    'builds with several processes (seen in /proc)',
    async () => {
      await using many = await project.startService({ dealers: 6, vehicles: 130, images: 1 });
      for (const { vehicles } of many.data.dealers) {
        for (const vehicle of vehicles) vehicle.mediaList = [];
      }
      await writeFilesBelow(project.folder, {
        'site.config.ts': configText(many),
      });
      const entry = at('node_modules/vehicle-media-site/src/publish/processes/worker-process.js');
      let seen = false;
      let done = false;
      const built = command('build --first --output many --cache many.cache').finally(() => {
        done = true;
      });
      const watched = (async () => {
        while (!done && !seen) {
          seen = commandLines().some((line) => line.includes(entry));
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })();
      await Promise.all([built, watched]);
      expect(seen).toBe(true);
      const { pages, dealers } = await project.report();
      expect(pages).toBeGreaterThan(6 * 130);
      expect(dealers).toHaveLength(6);
    },
  );
});

function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        // It has ended in the meantime.
        return '';
      }
    });
}
