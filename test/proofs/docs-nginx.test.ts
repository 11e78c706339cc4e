import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Agent, request } from 'undici';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/build.ts';
import { writeSite } from '../support/hosts/change-set.ts';
import { FIRST, PICTURE } from '../support/hosts/world.ts';

const JSON_FILE = 'one/media.json';
const EMBEDDED = 'embed/one/car/index.html';

/** The first block of nginx in docs/hosting.md. */
async function documented(): Promise<string> {
  const page = await readFile('docs/hosting.md', 'utf8');
  return /```nginx\n(.*?)```/s.exec(page)?.[1] ?? '';
}

it('a real nginx serves a site as docs/hosting.md configures it', async () => {
  await using folder = await temporaryFolder();
  const at = (name: string) => path.join(folder.path, name);
  const long = ' text'.repeat(1000);
  await writeSite(at('current'), { ...FIRST, [JSON_FILE]: `"${long}"`, [EMBEDDED]: 'gallery' });
  const server = (await documented())
    .replace('/srv/cars/current', at('current'))
    .replace('server_name', `listen unix:${at('socket')};\n  server_name`);
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
  const options = ['-p', folder.path, '-c', at('nginx.conf'), '-e', at('errors')];
  const nginx = spawn('nginx', options, { stdio: 'inherit' });
  await once(nginx, 'spawn');
  const ended = once(nginx, 'exit');
  const dispatcher = new Agent({ connect: { socketPath: at('socket') } });
  const visit = async (address: string, headers: Record<string, string> = {}) => {
    const response = await request(`http://cars.example${address}`, { dispatcher, headers });
    return { ...response, text: await response.body.text() };
  };
  try {
    await expect.poll(() => existsSync(at('pid'))).toBe(true);
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
    // Behind a proxy with https, an address with http would be wrong.
    expect(await visit('/one')).toMatchObject({ statusCode: 301, headers: { location: '/one/' } });
    expect(await visit('/none')).toMatchObject({ statusCode: 404, text: FIRST['404.html'] });
    const picture = await visit(`/${PICTURE(1)}`, { range: 'bytes=1-3' });
    const headers = { 'cache-control': expect.stringContaining('immutable') };
    expect(picture).toMatchObject({ statusCode: 206, text: 'ict', headers });
    const data = await visit(`/${JSON_FILE}`, { 'accept-encoding': 'gzip', via: '1.1 cdn' });
    expect(data.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'content-encoding': 'gzip',
      vary: 'Accept-Encoding',
    });
    const embedded = await visit('/embed/one/car/');
    expect(embedded.text).toBe('gallery');
    expect(embedded.headers).not.toHaveProperty('content-security-policy');
  } finally {
    await dispatcher.destroy();
    nginx.kill('SIGTERM');
    await ended;
  }
});
