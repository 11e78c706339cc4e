import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { freshClone } from '../support/checkout.ts';
import { serve } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const run = promisify(execFile);

interface Step {
  /** `diff` or `sh`. */
  kind: string;
  text: string;
}

/** The recipes of CONTRIBUTING.md: the steps below each of their headings, in their order. */
async function readRecipes(): Promise<Map<string, Step[]>> {
  const page = await readFile('CONTRIBUTING.md', 'utf8');
  const [, recipes = ''] = /^## Recipes\n([\s\S]*?)^## /m.exec(page) ?? [];
  return new Map(
    recipes
      .split(/^### /m)
      .slice(1)
      .map((section) => {
        const steps = [...section.matchAll(/^```(diff|sh)\n([\s\S]*?)^```$/gm)];
        const title = section.slice(0, section.indexOf('\n'));
        return [title, steps.map(([, kind = '', text = '']) => ({ kind, text }))];
      }),
  );
}

/** A fake storage zone of Bunny: files by URL, protected by a password. */
async function startZone(password: string) {
  const files = new Map<string, Buffer>();
  const server = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const name = decodeURI(request.url ?? '');
    const content = files.get(name);
    if (request.headers.accesskey !== password) response.writeHead(401).end();
    else if (request.method === 'PUT') {
      files.set(name, Buffer.concat(chunks));
      response.writeHead(201).end();
    } else if (!content) response.writeHead(404).end();
    else if (request.method === 'DELETE') {
      files.delete(name);
      response.writeHead(200).end();
    } else response.writeHead(200).end(content);
  });
  return { files, url: `${server.url}/cars`, close: server.close };
}

const recipes = await readRecipes();

describe('the recipes of CONTRIBUTING.md', () => {
  const clone = tempFolder();
  const fileOf = (name: string) => path.join(clone, name);

  /** Applies a patch or runs a command, and returns the output. */
  async function walk({ kind, text }: Step, env: Record<string, string> = {}): Promise<string> {
    // The tests of recipes open no page, and unpacking the browser takes longer than they do.
    const noBrowser = { CHROMIUM_PATH: process.execPath };
    const options = { cwd: clone, env: { ...process.env, CI: '', ...noBrowser, ...env } };
    if (kind === 'sh') return (await run('sh', ['-ec', text], options)).stdout;
    await writeFile(fileOf('recipe.diff'), text);
    await run('git', ['apply', '--recount', 'recipe.diff'], options);
    return '';
  }

  async function walkThrough(title: string, env?: Record<string, string>): Promise<string> {
    const printed: string[] = [];
    for (const step of recipes.get(title) ?? []) printed.push(await walk(step, env));
    return printed.join('');
  }

  beforeAll(() => freshClone(clone, 'linked'));

  it('have a change and a command each', () => {
    for (const steps of recipes.values()) {
      expect(new Set(steps.map(({ kind }) => kind))).toEqual(new Set(['diff', 'sh']));
    }
  });

  const tested = [...recipes].filter(([, steps]) => steps.at(-1)?.text.includes('npx vitest'));
  it.each(tested)('work, as their tests show: %s', async (title) => {
    expect(await walkThrough(title)).toMatch(/Tests .*\d+ passed/);
  });

  it('add a setting to the reference', async () => {
    expect(await readFile(fileOf('docs/configuration.md'), 'utf8')).toContain('crawl');
  });

  it('add a page to the demo', async () => {
    const printed = await walkThrough('A page');
    expect(printed).toContain(`its files: ${fileOf('.demo/site')}`);
    // The command has ended, and nothing serves the site.
    expect(printed).not.toMatch(/The site is at|Ctrl-C/);
    expect(readFileSync(fileOf('.demo/site/about/index.html'), 'utf8')).toContain('<h1>About');
  });

  it('add a host that serves only the site', async () => {
    const zone = await startZone('a-password');
    try {
      const env = { BUNNY_ZONE_URL: zone.url, BUNNY_PASSWORD: 'a-password' };
      zone.files.set('/cars/old.html', Buffer.from('old'));
      zone.files.set('/cars/.deployed.txt', Buffer.from('old.html'));
      await walkThrough('A host', env);
      const page = await readFile(fileOf('.demo/site/index.html'));
      expect(zone.files.get('/cars/index.html')?.equals(page)).toBe(true);
      expect(zone.files.has('/cars/old.html')).toBe(false);
    } finally {
      zone.close();
    }
  });

  it('leave the project without errors of types or format', async () => {
    await run('npx', ['tsc', '--noEmit'], { cwd: clone });
    await run('npx', ['biome', 'check', 'src', 'templates', 'test/unit'], { cwd: clone });
    expect(existsSync(fileOf('src/deploy/hosts/bunny.ts'))).toBe(true);
  });
});
