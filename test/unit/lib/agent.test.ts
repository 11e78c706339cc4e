import { connect } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { Downloader } from '../../../src/download/download.ts';
import { HttpClient } from '../../../src/lib/http/http.ts';
import { getAnswer } from '../../../src/service/get-json.ts';
import { build, configFor } from '../../support/build.ts';
import { serve } from '../../support/server.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** A proxy that sends every request to one server, and notes the requested hosts. */
async function startProxy() {
  const hosts: string[] = [];
  const answers = await serve((_, response) => response.end('[]'));
  const proxy = await serve((request, response) => {
    hosts.push(URL.parse(request.url ?? '')?.host ?? '');
    response.end('[]');
  });
  proxy.server.on('connect', (request, socket) => {
    hosts.push(request.url ?? '');
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    socket.pipe(connect(Number(new URL(answers.url).port), '127.0.0.1')).pipe(socket);
  });
  onTestFinished(() => {
    for (const { server } of [proxy, answers]) server.close();
  });
  return { hosts, url: proxy.url, direct: answers.url };
}

afterEach(() => vi.unstubAllEnvs());

const LIMITS = { timeout: 5000, totalTimeout: 8000, retries: 0, maxRetryAfter: 50, maxBytes: 1000 };
const service = {
  baseUrl: 'https://media.example',
  mediaKey: '5f1c9a27-3d84-4b6e-a1f0-8c2d7e94b536',
};

// First, because the proxy of the next test is kept.
it.each([
  ['no scheme', 'ann:Pa55w0rd@proxy.example:3128'],
  ['a space', 'http://ann:Pa55w0rd@proxy .example'],
  ['% in the password', 'http://ann:Pa55w0rd%ZZ@proxy.example'],
])('a build and a deploy name an unusable proxy without its password: %s', async (_, address) => {
  vi.stubEnv('HTTPS_PROXY', address);
  const folder = tempFolder();
  const config = configFor({ ...service, data: { dealers: [{ id: 1, name: 'A' }] } });
  const { error, report } = await build(config, folder);
  expect(error).toMatchObject({ code: 'proxy-invalid', exitCode: 2 });
  expect(inspect(error, { depth: 9 }) + JSON.stringify(report)).not.toContain('Pa55w0rd');
  expect(() => new HttpClient({ code: 'x', name: 'X', fix: '', later: '' })).toThrow('not the URL');
  const url = new URL('https://media.example');
  const asked = getAnswer({ url, apiKey: new Secret('k'), subject: 'x', service: LIMITS });
  await expect(asked).rejects.toMatchObject({ code: 'proxy-invalid' });
});

it('service, downloads and deploys use the proxy, except for NO_PROXY and this machine', async () => {
  const proxy = await startProxy();
  vi.stubEnv('HTTP_PROXY', proxy.url);
  vi.stubEnv('NO_PROXY', 'inside.example');
  const ask = (base: string) =>
    getAnswer({ url: new URL(base), apiKey: new Secret('k'), subject: 'x', service: LIMITS });
  expect((await ask('http://media.example/')).records).toEqual([]);
  expect((await ask(proxy.direct)).records).toEqual([]);
  const { media } = configFor({ ...service, data: { dealers: [{ id: 1, name: 'A' }] } });
  await using downloader = new Downloader('http://cdn.example', { ...media, hosts: ['*'] });
  expect(await downloader.get('http://cdn.example/a.jpg')).toMatchObject({ kind: 'bytes' });
  expect(await downloader.get('http://10.0.0.1/a.jpg')).toMatchObject({ code: 'download-address' });
  await using http = new HttpClient({ code: 'x', name: 'X', fix: '', later: '', retries: 0 });
  const get = (url: string) => http.send({ method: 'GET', url, headers: {}, what: 'x' });
  expect(await get('http://host.example/list')).toMatchObject({ status: 200 });
  await expect(get('http://inside.example/list')).rejects.toThrow('no usable response');
  expect(proxy.hosts.map((host) => host.replace(':80', ''))).toEqual([
    'media.example',
    'cdn.example',
    'host.example',
  ]);
});
