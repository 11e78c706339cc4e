import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { serve } from './server.ts';

/** Fault of one request. */
type Fault = '503' | 'cut-answer' | 'cut-request' | undefined;

/** A proxy before a store that can disturb requests. The Host header is unchanged, because it is signed. */
export async function startFlakyProxy(target: string) {
  const { hostname, port } = new URL(target);
  let number = 0;
  /** `METHOD path → status` of every request that reached the store. */
  const log: { method: string; path: string; status: number; bytes: number }[] = [];
  const pass = (incoming: IncomingMessage, response: ServerResponse, fault: Fault) => {
    const { method = '', url = '', headers } = incoming;
    const outgoing = request({ hostname, port, method, path: url, headers }, (answer) => {
      const status = answer.statusCode ?? 502;
      const length = Number(answer.headers['content-length'] ?? 0);
      log.push({ method, path: url, status, bytes: length });
      response.writeHead(status, answer.headers);
      let sent = 0;
      answer.on('data', (chunk: Buffer) => {
        if (fault !== 'cut-answer') return void response.write(chunk);
        const part = chunk.subarray(0, Math.max(0, Math.floor(length / 2) - sent));
        sent += part.length;
        response.write(part);
      });
      answer.on('end', () => (fault === 'cut-answer' ? response.destroy() : response.end()));
    });
    outgoing.on('error', () => response.destroy());
    if (fault !== 'cut-request') return void incoming.pipe(outgoing);
    // Half of the body reaches the store, then both connections are closed.
    const half = Number(headers['content-length'] ?? 0) / 2;
    let count = 0;
    incoming.on('data', (chunk: Buffer) => {
      outgoing.write(chunk.subarray(0, Math.max(0, Math.floor(half) - count)));
      count += chunk.length;
    });
    incoming.on('end', () => {
      outgoing.destroy();
      response.destroy();
    });
  };
  const server = await serve((incoming, response) => {
    const fault = proxy.decide(number++, incoming.method ?? '', incoming.url ?? '');
    if (fault !== '503') return pass(incoming, response, fault);
    incoming.resume();
    response.writeHead(503, { 'content-length': 0 }).end();
    return undefined;
  });
  const proxy = {
    origin: server.url,
    /** Selects the fault of a request by number, method and path. */
    decide: (_number: number, _method: string, _path: string): Fault => undefined,
    log,
    [Symbol.asyncDispose]: server.close,
  };
  return proxy;
}
