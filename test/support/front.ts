import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { serve } from './server.ts';

/** Fault of one request. After a cut, half of the body or half of the response has passed. */
type Fault = '503' | 'cut-request' | 'cut-answer' | undefined;

export type Front = Awaited<ReturnType<typeof startFront>>;

/**
 * A constant URL with a changing target, like a DNS name. The Host header is unchanged, because it may be signed.
 *
 * @param to without a trailing slash.
 */
export async function startFront(to: string) {
  let number = 0;
  const pass = (asked: IncomingMessage, response: ServerResponse, fault: Fault) => {
    const { method = '', url = '', headers } = asked;
    const { hostname, port } = new URL(front.to);
    const passed = request({ hostname, port, method, path: url, headers }, (answer) => {
      const status = answer.statusCode ?? 502;
      const bytes = Number(answer.headers['content-length'] ?? 0);
      front.log.push({ method, path: url, status, bytes });
      response.writeHead(status, answer.headers);
      if (fault === 'cut-answer') sendHalf(answer, response, bytes, () => response.destroy());
      else answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    if (fault !== 'cut-request') return void asked.pipe(passed);
    sendHalf(asked, passed, Number(headers['content-length'] ?? 0), () => {
      passed.destroy();
      response.destroy();
    });
  };
  const server = await serve((asked, response) => {
    const { method = '', url = '/' } = asked;
    const instead = front.instead.get(url.replace(/\?.*/, ''));
    if (instead) return void response.writeHead(instead.status).end(instead.text);
    const fault = front.decide(number++, method, url);
    if (fault !== '503') return pass(asked, response, fault);
    asked.resume();
    return void response.writeHead(503, { 'content-length': 0 }).end();
  });
  const front = {
    url: server.url,
    to,
    /** Paths with a fixed text as response, with a leading slash. */
    instead: new Map<string, { status: number; text: string }>(),
    /** Selects the fault of a request by number, method and path. */
    decide: (_number: number, _method: string, _path: string): Fault => undefined,
    /** Requests that reached the target. */
    log: [] as { method: string; path: string; status: number; bytes: number }[],
    [Symbol.asyncDispose]: server.close,
  };
  return front;
}

/** Passes half of the bytes of a body. */
function sendHalf(
  from: IncomingMessage,
  to: NodeJS.WritableStream,
  length: number,
  cut: () => void,
): void {
  let left = Math.floor(length / 2);
  from.on('data', (chunk: Buffer) => {
    to.write(chunk.subarray(0, Math.max(0, left)));
    left -= chunk.length;
  });
  from.on('end', cut);
}
