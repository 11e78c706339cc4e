import { existsSync, lstatSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Sources } from '../../src/config/opened-sources.ts';
import { Secret } from '../../src/config/secret.ts';
import { SecretFoundError } from '../../src/errors.ts';
import { escapeHtml } from '../../src/lib/html.ts';
import { claimCache } from '../../src/publish/folder-checks/check.ts';
import { readPage } from '../../src/publish/verify/inspect.ts';
import { contentPolicy } from '../../src/site/documents/policy.ts';
import { build, buildSite, configFor, readTree, writeConfigIn } from '../support/build.ts';
import { eleventyIn } from '../support/command.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifyFolder } from '../support/verify-folder.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

const service = await forAllTests(startService({ dealers: 1, vehicles: 1, images: 1 }));

describe('a template', () => {
  it('writes only the file of its page, with any permalink', async () => {
    const folder = tempFolder();
    writeConfigIn(folder, service);
    await writeFilesBelow(folder, {
      'theme/pages/404.njk': '---\npermalink: "../../outside.html"\n---\n<p>lost</p>',
    });
    const { ended, output } = eleventyIn(folder, service.mediaKey);
    expect(await ended).toMatchObject({ exitCode: 0 });
    expect(await readFile(path.join(output, '404.html'), 'utf8')).toContain('<p>lost</p>');
    const files = [...(await readTree(folder)).keys()];
    expect(files.filter((file) => file.includes('outside'))).toEqual([]);
  });
});

describe('symbolic links', () => {
  it.each([
    'service/x',
    'records/0123456789ab/7001.json',
    'records/0123456789ab/7001.journal',
    'records/0123456789ab',
    'records',
    'media/files',
    'media',
    'lock',
  ])('in the cache (%s) stop the build without writing through them', async (name) => {
    const folder = tempFolder();
    const target = path.join(folder, 'target');
    await mkdir(target);
    const cache = path.join(folder, 'cache');
    claimCache(cache, configFor(service));
    const link = path.join(cache, name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(target, link);
    const { error } = await build(configFor(service), folder);
    expect(error).toMatchObject({
      code: name === 'lock' ? expect.any(String) : 'cache-holds-link',
    });
    expect((await readTree(target)).size).toBe(0);
  });

  it('among the thumbnails are neither followed nor published', async () => {
    const folder = tempFolder();
    const first = await buildSite(configFor(service), folder);
    const files = path.join(folder, 'cache/media/files');
    const secret = path.join(folder, 'secret');
    await mkdir(secret);
    await writeFile(path.join(secret, 'file'), 'secret');
    const [shard = ''] = await readdir(files);
    const [name = ''] = await readdir(path.join(files, shard));
    const known = path.join(files, shard, name);
    await mkdir(path.join(files, '00'), { recursive: true });
    const output = `00/${'1'.repeat(18)}-160-abcdef.jpg`;
    await symlink(path.join(secret, 'file'), path.join(files, output));
    await rm(known);
    await symlink(path.join(secret, 'file'), known);
    // Otherwise the check does not search there.
    await rm(path.join(first.output, 'media', shard, name));
    const again = await buildSite(configFor(service), folder);
    expect(existsSync(path.join(again.output, 'media', output))).toBe(false);
    expect(lstatSync(known).isFile()).toBe(true);
    expect(await readFile(path.join(secret, 'file'), 'utf8')).toBe('secret');
    expect(lstatSync(again.output).isSymbolicLink()).toBe(false);
  });
});

describe('the check of a finished site', () => {
  const PAGE = (body: string, head = '') =>
    `<!doctype html><html><head>${head}</head><body><main><h1>T</h1>${body}</main></body></html>`;

  const KINDS: [string, RegExp][] = [
    ['unsafe-file', /no files of a site/],
    ['unsafe-markup', / holds (?:<|an inline script)/],
    ['not-opened', / of site\.policy does not name/g],
    ['link-broken', / links to .*, which does not exist/g],
    ['page-empty', / is empty/],
    ['personal-data', / a field of a batch/],
  ];

  async function findings(
    files: Record<string, string | Uint8Array>,
    options: Parameters<typeof verifyFolder>[2] = {},
    link?: string,
  ) {
    const folder = tempFolder();
    await writeFilesBelow(folder, files);
    if (link) await symlink('/etc/passwd', path.join(folder, link));
    try {
      await verifyFolder(folder, 'https://cars.example', options);
      return [];
    } catch (error) {
      if (error instanceof SecretFoundError) throw error;
      const text = String(error);
      return KINDS.flatMap(([kind, form]) => Array.from(text.match(form) ?? [], () => kind));
    }
  }

  it('accepts an honest page', async () => {
    const body =
      '<a href="https://a.example/">x</a><a href="tel:+1">y</a><img src="data:image/png;base64,AA">';
    const head =
      '<script type="application/ld+json">{}</script><script src="https://a.example/x.js"></script>';
    const opened = { 'script-src': ['https://a.example'] };
    expect(await findings({ 'index.html': PAGE(body, head) }, { opened })).toEqual([]);
  });

  it.each([
    ['<script src="https://a.example/x.js"></script>', 'script-src'],
    ['<script src="//a.example/x.js"></script>', 'script-src'],
    ['<script src="/\\a.example/x.js"></script>', 'script-src'],
    ['<script src="/\t/a.example/x.js"></script>', 'script-src'],
    ['<link rel="stylesheet" href="https://a.example/x.css">', 'style-src'],
    ['<form action="https://a.example/take"><input></form>', 'form-action'],
    ['<form><button formaction="https://a.example/take">x</button></form>', 'form-action'],
  ] as const)('rejects requests to unlisted hosts: %s', async (markup, directive) => {
    const page = { 'index.html': PAGE(markup) };
    expect(await findings(page)).toEqual(['not-opened']);
    for (const source of ['https://b.example', 'https://*.a.example', 'https://a.example:8443']) {
      expect(await findings(page, { opened: { [directive]: [source] } })).toEqual(['not-opened']);
    }
    for (const source of ['https://a.example', 'https://a.example:443']) {
      expect(await findings(page, { opened: { [directive]: [source] } })).toEqual([]);
    }
    const other = directive === 'form-action' ? 'connect-src' : 'form-action';
    const wrong = { [other]: ['https://a.example'] };
    expect(await findings(page, { opened: wrong })).toEqual(['not-opened']);
    const below = page['index.html'].replace('a.example', 'www.a.example');
    const opened = { [directive]: ['https://*.a.example'] };
    expect(await findings({ 'index.html': below }, { opened })).toEqual([]);
  });

  it.each([
    ['<img src="https://a.example/x.jpg" alt="">', 'img-src'],
    ["<img src='/x.jpg' srcset='//a.example/x.jpg 2x' alt>", 'img-src'],
    ['<video src="/x.mp4" poster="https://a.example/x.jpg"></video>', 'img-src'],
    ['<audio src="https://a.example/x.mp3"></audio>', 'media-src'],
    ['<iframe src="https://a.example/map"></iframe>', 'frame-src'],
  ] as const)('rejects parts of a page that its own policy blocks: %s', async (body, directive) => {
    const found = (opened: Sources, origins: string[] = []) => {
      const policy = escapeHtml(contentPolicy(origins, { opened }));
      const head = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
      return findings({ 'index.html': PAGE(body, head), 'x.jpg': '', 'x.mp4': '' });
    };
    expect(await found({})).toEqual(['not-opened']);
    expect(await found({ 'script-src': ['https://a.example'] })).toEqual(['not-opened']);
    expect(await found({ [directive]: ['https://a.example'] })).toEqual([]);
    // Players that the page shows.
    if (directive === 'frame-src') expect(await found({}, ['https://a.example'])).toEqual([]);
    expect(await findings({ 'index.html': PAGE(body), 'x.jpg': '', 'x.mp4': '' })).toEqual([]);
    const other = '<meta http-equiv="Content-Security-Policy" content="default-src a.example">';
    expect(await findings({ 'index.html': PAGE(body, other), 'x.jpg': '', 'x.mp4': '' })).toEqual(
      [],
    );
  });

  it('rejects a page without an icon that it uses', async () => {
    const icon = '<svg><use href="#i-car"/></svg>';
    expect(await findings({ 'index.html': PAGE(icon) })).toEqual(['link-broken']);
    const symbol = '<svg><symbol id="i-car"><path d=""/></symbol></svg>';
    expect(await findings({ 'index.html': PAGE(icon + symbol) })).toEqual([]);
  });

  it('rejects a style sheet with the URL of a missing file of the site', async () => {
    const css = { 'a.css': 'a{b:url(/x.png);c:url("/y.png?v=1");d:url(//a.example/z.png)}' };
    expect(await findings(css)).toEqual(['link-broken', 'link-broken']);
    expect(await findings({ ...css, 'x.png': '', 'y.png': '' })).toEqual([]);
  });

  it('reads elements with the names of methods', () => {
    expect(readPage(PAGE('<constructor>x</constructor>')).unsafe).toEqual([]);
  });

  it.each([
    '<script>alert(1)</script>',
    '<script type="module">alert(1)</script>',
    '<img src="https://a.example/x" onerror="alert(1)">',
    '<svg onload="alert(1)"></svg>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href=" JaVa\tScRiPt:alert(1)">x</a>',
    '<a href="data:text/html,x">x</a>',
    '<a href="vbscript:x">x</a>',
    '<iframe src="javascript:alert(1)"></iframe>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<form action="javascript:alert(1)"></form>',
    '<button formaction="javascript:alert(1)">x</button>',
    '<object data="https://a.example/"></object>',
    '<embed src="https://a.example/">',
    '<base href="https://evil.example/">',
    '<p style="background:url(https://evil.example/)">x</p>',
    '<style>@import url(https://evil.example/)</style>',
  ])('rejects markup that must come from a text: %s', async (markup) => {
    expect(await findings({ 'index.html': PAGE(markup) })).toContain('unsafe-markup');
  });

  it('rejects links and file names that no server can serve', async () => {
    expect(await findings({ 'index.html': PAGE('x') }, {}, 'link.html')).toEqual(['unsafe-file']);
    expect(await findings({ 'a b.txt': 'x' })).toEqual(['unsafe-file']);
    expect(await findings({ 'CON.txt': 'x' })).toEqual(['unsafe-file']);
  });

  it('accepts a URL of the service that contains the URL of the site', async () => {
    const bad = [
      'https://cars.example/%zz',
      'https://cars.example/none/',
      'https://cars.example/%E0%A4%A',
    ];
    const page = { 'index.html': PAGE(bad.map((href) => `<a href="${href}">x</a>`).join('')) };
    expect(await findings(page)).toEqual(['link-broken', 'link-broken', 'link-broken']);
    expect(await findings(page, { fromService: new Set(bad) })).toEqual([]);
  });

  it('distinguishes a text about a batch field from the field itself', async () => {
    const text = { 'index.html': PAGE('RecipientEmail') };
    const leak = { 'data.json': '{"RecipientEmail": "a@b.example"}' };
    expect(await findings(text)).toEqual(['personal-data']);
    expect(await findings(text, { mentionsFields: true })).toEqual([]);
    expect(await findings(leak, { mentionsFields: true })).toEqual(['personal-data']);
    const quoted = { 'data.json': JSON.stringify({ label: '"RecipientEmail": x' }) };
    expect(await findings(quoted, { mentionsFields: true })).toEqual([]);
  });

  it('finds a key in any file or file name without printing it', async () => {
    const secret = new Secret('5A3C91E0-7b42-4d18-9c6f-2e80b17d4a35');
    const spellings = [
      secret.reveal(),
      secret.reveal().toLowerCase(),
      secret.reveal().replaceAll('-', ''),
    ];
    for (const key of spellings) {
      const text = `x${key}x`;
      for (const [name, content] of [
        ['a.txt', text],
        ['a.txt.gz', gzipSync(text)],
        ['a.txt.br', brotliCompressSync(text)],
        ['a.gz', text],
        [`${key}.txt`, 'x'],
      ] as const) {
        const error = await findings({ [name]: content }, { secrets: [secret] }).then(
          () => new Error('nothing was found'),
          (reason: Error) => reason,
        );
        expect(error).toMatchObject({ code: 'secret-in-site', exitCode: 6 });
        expect(error.message).not.toContain(key);
      }
    }
  });
});

interface LockEntry {
  libc?: string[];
  integrity?: string;
  resolved?: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
}

describe('the lock file', () => {
  it('downloads every package from the registry and verifies its checksum', async () => {
    const lock = JSON.parse(await readFile(path.join(ROOT, 'package-lock.json'), 'utf8'));
    const packages: [string, LockEntry][] = Object.entries(lock.packages);
    expect(packages.length).toBeGreaterThan(100);
    const loose = packages.filter(
      ([name, { integrity, resolved = '', link, dev, optional }]) =>
        name !== '' &&
        (link || /^(?:git|http:|file:)/.test(resolved) || !integrity?.startsWith('sha512-')) &&
        // Tools for other platforms whose checksum a mirror may not know. They never run beside the key of a
        // published build.
        !(dev && optional && integrity === undefined && resolved === '' && !link),
    );
    expect(loose.map(([name]) => name)).toEqual([]);
    // On Alpine, npm would install a Node that cannot start in place of the machine's.
    const nodes = packages.filter(([name]) => /^node_modules\/node-linux-/.test(name));
    expect(nodes.map(([, { libc }]) => libc)).toEqual([['glibc'], ['glibc']]);
  });
});
