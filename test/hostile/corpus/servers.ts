import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';

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

/** Writes repeatedly until the connection closes. Respects back pressure. */
async function forever(socket: Socket, piece: string, pause = 0): Promise<void> {
  while (!socket.destroyed) {
    if (!socket.write(piece))
      await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve));
    await sleep(pause);
  }
}

const ZEROS = Buffer.alloc(10_000_000);
const bomb = gzipSync(ZEROS);

/** Behaviour of a picture server, byte by byte, with the possible codes of a download from it. */
export const SERVERS: Record<string, Record<string, (socket: Socket, path: string) => unknown>> = {
  bytes: {
    answers: answer(OK, 'picture'),
    'calls a picture text': answer('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n', 'picture'),
    'compresses honestly': encoded('gzip', gzipSync('picture')),
    'sends byte by byte': async (socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
      socket.write('1\r\nx\r\n'.repeat(20_000));
      socket.end('0\r\n\r\n');
    },
    'redirects three times': (socket, path) => {
      const hop = Number(/\d+$/.exec(path)?.[0] ?? 0);
      if (hop === 3) return answer(OK, 'picture')(socket);
      return status('301 Moved', `location: /redirects-three-times?${hop + 1}\r\n`)(socket);
    },
    'redirects with a body without end': (socket) => {
      socket.write(
        'HTTP/1.1 302 Found\r\nlocation: /answers\r\ntransfer-encoding: chunked\r\n\r\n',
      );
      return forever(socket, `1000\r\n${'x'.repeat(4096)}\r\n`);
    },
  },
  'download-too-large': {
    'sends a body without end': (socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
      return forever(socket, `1000\r\n${'x'.repeat(4096)}\r\n`);
    },
    'sends a body without end or length': (socket) => {
      socket.write(`${OK}connection: close\r\n\r\n`);
      return forever(socket, 'x'.repeat(4096));
    },
    'announces more than there is': (socket) =>
      socket.end(`${OK}content-length: 99999999999999\r\n\r\nxxx`),
    'packs a bomb': encoded('gzip', bomb),
    'packs a bomb with brotli': encoded('br', brotliCompressSync(ZEROS)),
  },
  'bytes|download-network': {
    'announces little and sends more': (socket) =>
      socket.end(`${OK}content-length: 3\r\n\r\n${'x'.repeat(5000)}`),
  },
  'download-network': {
    'announces more than it sends': (socket) => socket.end(`${OK}content-length: 5000\r\n\r\nxxx`),
    'announces a negative length': (socket) => socket.end(`${OK}content-length: -1\r\n\r\nxxx`),
    'announces two lengths': (socket) =>
      socket.end(`${OK}content-length: 3\r\ncontent-length: 5\r\n\r\nxxxxx`),
    'sends broken chunks': (socket) =>
      socket.end(`${OK}transfer-encoding: chunked\r\n\r\nzz\r\nxxx\r\n`),
    'sends a head without end': (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      // More than a client accepts, at once.
      return forever(socket, `x-a: ${'b'.repeat(20_000)}\r\n`);
    },
    resets: (socket) => socket.resetAndDestroy(),
    closes: (socket) => socket.destroy(),
    'speaks another protocol': (socket) => socket.end('SSH-2.0-OpenSSH_9.0\r\n'),
    'answers without a head': (socket) => socket.end('<html>'),
    'sends a header with a NUL': (socket) => socket.end(`${OK}x-a: b\0c\r\n\r\n`),
  },
  'download-network|bytes': {
    'announces a length and chunks': (socket) =>
      socket.end(
        `${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n3\r\nxxx\r\n0\r\n\r\n`,
      ),
  },
  'download-timeout': {
    drips: (socket) => {
      socket.write(`${OK}content-length: 100000\r\n\r\n`);
      return forever(socket, 'x', 50);
    },
  },
  'download-stalled|download-timeout': {
    'stops in the body': (socket) => void socket.write(`${OK}content-length: 100000\r\n\r\nxxx`),
    'stops after the head': (socket) => void socket.write(`${OK}content-length: 100000\r\n\r\n`),
    'never answers': () => {},
    'stops in the head': (socket) => void socket.write('HTTP/1.1 200 OK\r\nx-a: '),
    'drips its head': (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      return forever(socket, 'x-a: b\r\n', 50);
    },
  },
  'download-stalled|download-timeout|download-network': {
    'sends "wait" forever': (socket) => forever(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n', 20),
  },
  'download-encoding': {
    'packs a bomb twice': encoded('gzip, gzip', gzipSync(bomb)),
    'packs thirty times': encoded(Array(30).fill('gzip').join(', '), bomb),
    'claims compression without compressing': encoded('gzip', Buffer.from('picture')),
    'packs half': encoded('gzip', bomb.subarray(0, 100)),
  },
  'download-status': {
    'sends an unrequested 304': status('304 Not Modified'),
    'sends 204': (socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'),
    'sends a part': answer(
      'HTTP/1.1 206 Partial Content\r\ncontent-range: bytes 0-2/100\r\n',
      'pic',
    ),
    'wants a password': status('401 Unauthorized', 'www-authenticate: Basic\r\n'),
    'wants a proxy': status('407 Proxy Authentication Required'),
    'has an error page of a million bytes': answer(
      'HTTP/1.1 404 Not Found\r\n',
      'x'.repeat(1_000_000),
    ),
    'has an error page without end': (socket) => {
      socket.write('HTTP/1.1 404 Not Found\r\ntransfer-encoding: chunked\r\n\r\n');
      return forever(socket, `1000\r\n${'x'.repeat(4096)}\r\n`);
    },
    'asks to wait for years': status('503 Busy', 'retry-after: 99999999999999999999\r\n'),
    'asks to wait since long': status('503 Busy', 'retry-after: Mon, 01 Jan 1900 00:00:00 GMT\r\n'),
    'redirects nowhere': status('302 Found'),
  },
  'download-status|download-network': {
    'sends 999': status('999 Denied'),
  },
  'download-redirects': {
    'redirects to itself': status('302 Found', 'location: ?\r\n'),
    'redirects four times': (socket, path) => {
      const hop = Number(/\d+$/.exec(path)?.[0] ?? 0);
      if (hop === 4) return answer(OK, 'picture')(socket);
      return status('308 Moved', `location: /redirects-four-times?${hop + 1}\r\n`)(socket);
    },
  },
  'download-host': {
    ...Object.fromEntries(
      Object.entries({
        'another host': 'https://evil.example/x.jpg',
        'another host without a scheme': '//evil.example/x.jpg',
        'another host with backslashes': '\\\\evil.example\\x.jpg',
        'a file': 'file:///etc/passwd',
        data: 'data:image/png;base64,AAAA',
        'a script': 'javascript:alert(1)',
        'another scheme': 'ftp://evil.example/x.jpg',
        'an invalid URL': 'http://[::1',
        'a host with a password': 'http://user:pass@127.0.0.1/x.jpg',
      }).map(([name, location]) => [
        `redirects to ${name}`,
        status('302 Found', `location: ${location}\r\n`),
      ]),
    ),
  },
};

export const pathOf = (name: string): string => `/${name.replace(/[^a-z0-9]+/gi, '-')}`;
