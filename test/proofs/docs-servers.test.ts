import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { request } from 'undici';
import { expect, it } from 'vitest';
import { writeSite } from '../support/hosts/change-set.ts';
import { FIRST, PICTURE } from '../support/hosts/world.ts';
import { freePort } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const JSON_FILE = 'one/media.json';
const EMBEDDED = 'embed/one/car/index.html';

type At = (name: string) => string;

/** Writes the configuration of nginx. @returns its command. */
async function nginx(documented: string, port: number, at: At): Promise<string[]> {
  const server = documented
    .replace('/srv/cars/current', at('current'))
    .replace('server_name', `listen 127.0.0.1:${port};\n  server_name`);
  const types = 'types { text/html html; application/json json; image/webp webp; }';
  // The default folders belong to root.
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${at(name)};`)
    .join(' ');
  const asRoot = process.getuid?.() === 0 ? 'user root;' : '';
  await writeFile(
    at('nginx.conf'),
    `daemon off; ${asRoot} pid ${at('pid')}; events {}
     http { access_log off; ${folders} ${types} ${server} }`,
  );
  return ['nginx', '-p', at(''), '-c', at('nginx.conf'), '-e', at('errors')];
}

/** The same for Apache of Debian. */
async function apache(documented: string, port: number, at: At): Promise<string[]> {
  const modules = ['mpm_event', 'authz_core', 'dir', 'mime', 'headers', 'filter', 'deflate'];
  await mkdir(at('www'));
  await symlink(at('current'), at('www/public'));
  await writeFile(at('www/.htaccess'), documented);
  const lines = [
    `ServerRoot ${at('')}`,
    ...modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
    `PidFile ${at('pid')}`,
    `ErrorLog ${at('errors')}`,
    `Listen 127.0.0.1:${port}`,
    'ServerName cars.example',
    'User www-data',
    'Group www-data',
    'TypesConfig /etc/mime.types',
    `DocumentRoot ${at('www/public')}`,
    `<Directory ${at('')}>`,
    'AllowOverride All',
    '</Directory>',
  ];
  await writeFile(at('apache.conf'), lines.join('\n'));
  return ['apache2', '-f', at('apache.conf'), '-D', 'FOREGROUND'];
}

const page = await readFile('docs/hosting.md', 'utf8');
const documented = (name: string): string =>
  new RegExp(`\`\`\`${name}\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? '';

/** Starts a server for a site in a temporary folder. */
async function start(configure: typeof nginx, configuration: string) {
  const folder = tempFolder();
  const at = (name: string) => path.join(folder, name);
  const long = ' text'.repeat(1000);
  await writeSite(at('current'), { ...FIRST, [JSON_FILE]: `"${long}"`, [EMBEDDED]: 'gallery' });
  // The server's processes run as another user.
  await chmod(folder, 0o755);
  const port = await freePort();
  const [command = '', ...options] = await configure(configuration, port, at);
  const server = spawn(command, options, { stdio: 'inherit' });
  await once(server, 'spawn');
  const ended = once(server, 'exit');
  return {
    visit: async (address: string, headers: Record<string, string> = {}) => {
      await expect.poll(() => existsSync(at('pid'))).toBe(true);
      const all = { host: 'cars.example', ...headers };
      const response = await request(`http://127.0.0.1:${port}${address}`, { headers: all });
      return { ...response, text: await response.body.text() };
    },
    [Symbol.asyncDispose]: async () => {
      server.kill('SIGTERM');
      await ended;
    },
  };
}

it.each([
  ['nginx', nginx],
  ['apache', apache],
])('a real %s serves a site as docs/hosting.md configures it', async (name, configure) => {
  await using server = await start(configure, documented(name));
  const { visit } = server;
  const front = await visit('/');
  expect(front).toMatchObject({
    statusCode: 200,
    text: FIRST['index.html'],
    headers: {
      'cache-control': 'no-cache',
      'content-security-policy': "frame-ancestors 'self'",
      'x-content-type-options': 'nosniff',
    },
  });
  const etag = String(front.headers.etag);
  expect(await visit('/', { 'if-none-match': etag })).toMatchObject({ statusCode: 304 });
  // Behind a proxy with https, an address with http would be wrong. Apache writes no other.
  const location = name === 'nginx' ? '/one/' : 'http://cars.example/one/';
  expect(await visit('/one')).toMatchObject({ statusCode: 301, headers: { location } });
  expect(await visit('/none')).toMatchObject({ statusCode: 404, text: FIRST['404.html'] });
  const picture = await visit(`/${PICTURE(1)}`, { range: 'bytes=1-3' });
  const headers = { 'cache-control': expect.stringContaining('immutable') };
  expect(picture).toMatchObject({ statusCode: 206, text: 'ict', headers });
  const compressed = { 'accept-encoding': 'gzip', via: '1.1 cdn' };
  const data = await visit(`/${JSON_FILE}`, compressed);
  expect(data.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'content-encoding': 'gzip',
    vary: 'Accept-Encoding',
  });
  const known = { 'if-none-match': String(data.headers.etag) };
  expect((await visit(`/${JSON_FILE}`, { ...compressed, ...known })).statusCode).toBe(304);
  // Other websites also frame the page that reports a missing gallery, and read that data is missing.
  for (const [slug, text] of Object.entries({ car: 'gallery', none: FIRST['404.html'] })) {
    const embedded = await visit(`/embed/one/${slug}/`);
    expect(embedded).toMatchObject({ text, headers: { 'access-control-allow-origin': '*' } });
    expect(embedded.headers).not.toHaveProperty('content-security-policy');
  }
});

it('a real nginx serves a site below a path', async () => {
  const [, rewrite = '', opening = ''] =
    /`root` line by `(rewrite [^`]+)`.*?\n *`(location [^`]+) … }`/s.exec(page) ?? [];
  const below = documented('nginx')
    .replace(/root .*/, rewrite)
    .replace(/^ *error_page.*(?=^ *}\n)/ms, (lines) => `${opening}\n${lines}}\n`)
    .replace('/404.html', '/cars/404.html')
    .replaceAll(/~\^(?=\/)/g, '~^/cars');
  await using server = await start(nginx, below);
  const { visit } = server;
  expect(await visit('/cars/')).toMatchObject({ statusCode: 200, text: FIRST['index.html'] });
  for (const address of ['/cars', '/cars/one']) {
    const headers = { location: `${address}/` };
    expect(await visit(address)).toMatchObject({ statusCode: 301, headers });
  }
  expect(await visit('/cars/none')).toMatchObject({ statusCode: 404, text: FIRST['404.html'] });
  const headers = { 'cache-control': expect.stringContaining('immutable') };
  expect(await visit(`/cars/${PICTURE(1)}`)).toMatchObject({ statusCode: 200, headers });
  const embedded = await visit('/cars/embed/one/car/');
  expect(embedded.headers).not.toHaveProperty('content-security-policy');
});
