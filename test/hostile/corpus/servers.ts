import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** What a server of pictures does, byte by byte, and what a download from it must come to. */
export interface ServerCase {
  name: string;
  act: (socket: Socket, path: string) => unknown;
  /** Codes of the download's fault, any of them; `bytes` where it is fine. */
  becomes: string[];
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: image/jpeg\r\n';
const answer =
  (head: string, body: Buffer | string = '') =>
  (socket: Socket) => {
    const bytes = Buffer.from(body);
    socket.end(
      Buffer.concat([Buffer.from(`${head}content-length: ${bytes.length}\r\n\r\n`), bytes]),
    );
  };
const status = (line: string, more = '') => answer(`HTTP/1.1 ${line}\r\n${more}`);
const encoded = (encoding: string, body: Buffer) =>
  answer(`${OK}content-encoding: ${encoding}\r\n`, body);

/** Writes again and again until the other side is gone; obeys back pressure. */
async function forever(socket: Socket, piece: string, pause = 0): Promise<void> {
  while (!socket.destroyed) {
    if (!socket.write(piece))
      await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve));
    await sleep(pause);
  }
}

const ZEROS = Buffer.alloc(50_000_000);
const bomb = gzipSync(ZEROS);

export const SERVERS: ServerCase[] = [
  { name: 'answers', act: answer(OK, 'picture'), becomes: ['bytes'] },
  {
    name: 'calls a picture text',
    act: answer('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n', 'picture'),
    becomes: ['bytes'],
  },
  { name: 'compresses honestly', act: encoded('gzip', gzipSync('picture')), becomes: ['bytes'] },
  {
    name: 'sends byte by byte',
    act: async (socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
      socket.write('1\r\nx\r\n'.repeat(20_000));
      socket.end('0\r\n\r\n');
    },
    becomes: ['bytes'],
  },
  {
    name: 'sends a body without end',
    act: (socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
      return forever(socket, `1000\r\n${'x'.repeat(4096)}\r\n`);
    },
    becomes: ['download-too-large'],
  },
  {
    name: 'sends a body without end or length',
    act: (socket) => {
      socket.write(`${OK}connection: close\r\n\r\n`);
      return forever(socket, 'x'.repeat(4096));
    },
    becomes: ['download-too-large'],
  },
  {
    name: 'announces little and sends more',
    act: (socket) => socket.end(`${OK}content-length: 3\r\n\r\n${'x'.repeat(5000)}`),
    becomes: ['bytes', 'download-network'],
  },
  {
    name: 'announces more than it sends',
    act: (socket) => socket.end(`${OK}content-length: 5000\r\n\r\nxxx`),
    becomes: ['download-network'],
  },
  {
    name: 'announces more than there is',
    act: (socket) => socket.end(`${OK}content-length: 99999999999999\r\n\r\nxxx`),
    becomes: ['download-too-large'],
  },
  {
    name: 'announces a negative length',
    act: (socket) => socket.end(`${OK}content-length: -1\r\n\r\nxxx`),
    becomes: ['download-network'],
  },
  {
    name: 'announces two lengths',
    act: (socket) => socket.end(`${OK}content-length: 3\r\ncontent-length: 5\r\n\r\nxxxxx`),
    becomes: ['download-network'],
  },
  {
    name: 'announces a length and chunks',
    act: (socket) =>
      socket.end(
        `${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n3\r\nxxx\r\n0\r\n\r\n`,
      ),
    becomes: ['download-network', 'bytes'],
  },
  {
    name: 'sends broken chunks',
    act: (socket) => socket.end(`${OK}transfer-encoding: chunked\r\n\r\nzz\r\nxxx\r\n`),
    becomes: ['download-network'],
  },
  {
    name: 'drips',
    act: (socket) => {
      socket.write(`${OK}content-length: 100000\r\n\r\n`);
      return forever(socket, 'x', 50);
    },
    becomes: ['download-timeout'],
  },
  {
    name: 'stops in the body',
    act: (socket) => void socket.write(`${OK}content-length: 100000\r\n\r\nxxx`),
    becomes: ['download-stalled', 'download-timeout'],
  },
  {
    name: 'stops after the head',
    act: (socket) => void socket.write(`${OK}content-length: 100000\r\n\r\n`),
    becomes: ['download-stalled', 'download-timeout'],
  },
  { name: 'never answers', act: () => {}, becomes: ['download-stalled', 'download-timeout'] },
  {
    name: 'stops in the head',
    act: (socket) => void socket.write('HTTP/1.1 200 OK\r\nx-a: '),
    becomes: ['download-stalled', 'download-timeout'],
  },
  {
    name: 'drips its head',
    act: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      return forever(socket, 'x-a: b\r\n', 50);
    },
    becomes: ['download-stalled', 'download-timeout'],
  },
  {
    name: 'sends a head without end',
    act: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      // More than a client takes, at once.
      return forever(socket, `x-a: ${'b'.repeat(20_000)}\r\n`);
    },
    becomes: ['download-network'],
  },
  {
    name: 'says "wait" without end',
    act: (socket) => forever(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n', 20),
    becomes: ['download-stalled', 'download-timeout', 'download-network'],
  },
  { name: 'resets', act: (socket) => socket.resetAndDestroy(), becomes: ['download-network'] },
  { name: 'closes', act: (socket) => socket.destroy(), becomes: ['download-network'] },
  {
    name: 'speaks another protocol',
    act: (socket) => socket.end('SSH-2.0-OpenSSH_9.0\r\n'),
    becomes: ['download-network'],
  },
  {
    name: 'answers without a head',
    act: (socket) => socket.end('<html>'),
    becomes: ['download-network'],
  },
  {
    name: 'sends a header with a NUL',
    act: (socket) => socket.end(`${OK}x-a: b\0c\r\n\r\n`),
    becomes: ['download-network'],
  },
  { name: 'packs a bomb', act: encoded('gzip', bomb), becomes: ['download-too-large'] },
  {
    name: 'packs a bomb twice',
    act: encoded('gzip, gzip', gzipSync(bomb)),
    becomes: ['download-encoding'],
  },
  {
    name: 'packs a bomb with brotli',
    act: encoded('br', brotliCompressSync(ZEROS)),
    becomes: ['download-too-large'],
  },
  {
    name: 'packs thirty times',
    act: encoded(Array(30).fill('gzip').join(', '), bomb),
    becomes: ['download-encoding'],
  },
  {
    name: 'says it packs and does not',
    act: encoded('gzip', Buffer.from('picture')),
    becomes: ['download-encoding'],
  },
  {
    name: 'packs half',
    act: encoded('gzip', bomb.subarray(0, 100)),
    becomes: ['download-encoding'],
  },
  { name: 'says 304 unasked', act: status('304 Not Modified'), becomes: ['download-status'] },
  {
    name: 'says 204',
    act: (socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'),
    becomes: ['download-status'],
  },
  {
    name: 'sends a part',
    act: answer('HTTP/1.1 206 Partial Content\r\ncontent-range: bytes 0-2/100\r\n', 'pic'),
    becomes: ['download-status'],
  },
  {
    name: 'wants a password',
    act: status('401 Unauthorized', 'www-authenticate: Basic\r\n'),
    becomes: ['download-status'],
  },
  {
    name: 'wants a proxy',
    act: status('407 Proxy Authentication Required'),
    becomes: ['download-status'],
  },
  {
    name: 'has an error page of a million bytes',
    act: answer('HTTP/1.1 404 Not Found\r\n', 'x'.repeat(1_000_000)),
    becomes: ['download-status'],
  },
  {
    name: 'has an error page without end',
    act: (socket) => {
      socket.write('HTTP/1.1 404 Not Found\r\ntransfer-encoding: chunked\r\n\r\n');
      return forever(socket, `1000\r\n${'x'.repeat(4096)}\r\n`);
    },
    becomes: ['download-status'],
  },
  { name: 'says 999', act: status('999 Denied'), becomes: ['download-status', 'download-network'] },
  {
    name: 'asks to wait for years',
    act: status('503 Busy', 'retry-after: 99999999999999999999\r\n'),
    becomes: ['download-status'],
  },
  {
    name: 'asks to wait since long',
    act: status('503 Busy', 'retry-after: Mon, 01 Jan 1900 00:00:00 GMT\r\n'),
    becomes: ['download-status'],
  },
  {
    name: 'redirects to itself',
    act: status('302 Found', 'location: ?\r\n'),
    becomes: ['download-redirects'],
  },
  {
    name: 'redirects three times',
    act: (socket, path) => {
      const hop = Number(/\d+$/.exec(path)?.[0] ?? 0);
      if (hop === 3) return answer(OK, 'picture')(socket);
      return status('301 Moved', `location: /redirects-three-times?${hop + 1}\r\n`)(socket);
    },
    becomes: ['bytes'],
  },
  {
    name: 'redirects four times',
    act: (socket, path) => {
      const hop = Number(/\d+$/.exec(path)?.[0] ?? 0);
      if (hop === 4) return answer(OK, 'picture')(socket);
      return status('308 Moved', `location: /redirects-four-times?${hop + 1}\r\n`)(socket);
    },
    becomes: ['download-redirects'],
  },
  ...[
    ['another host', 'https://evil.example/x.jpg'],
    ['another host without a scheme', '//evil.example/x.jpg'],
    ['another host with backslashes', '\\\\evil.example\\x.jpg'],
    ['a file', 'file:///etc/passwd'],
    ['data', 'data:image/png;base64,AAAA'],
    ['a script', 'javascript:alert(1)'],
    ['another scheme', 'ftp://evil.example/x.jpg'],
    ['an address that is none', 'http://[::1'],
    ['a host with a password', 'http://user:pass@127.0.0.1/x.jpg'],
  ].map(([name, location]) => ({
    name: `redirects to ${name}`,
    act: status('302 Found', `location: ${location}\r\n`),
    becomes: ['download-host'],
  })),
  { name: 'redirects nowhere', act: status('302 Found'), becomes: ['download-status'] },
  {
    name: 'redirects with a body without end',
    act: (socket) => {
      socket.write(
        'HTTP/1.1 302 Found\r\nlocation: /answers\r\ntransfer-encoding: chunked\r\n\r\n',
      );
      return forever(socket, `1000\r\n${'x'.repeat(4096)}\r\n`);
    },
    becomes: ['bytes'],
  },
];

export const pathOf = (name: string): string => `/${name.replace(/[^a-z0-9]+/gi, '-')}`;
