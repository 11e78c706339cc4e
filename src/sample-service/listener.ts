import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import type { Fault, Faults } from './state/faults.ts';
import type { RequestLog } from './state/requests.ts';

type Fetch = (request: Request) => Response | Promise<Response>;

const WRONG_JSON = '<!doctype html><title>Service unavailable</title>[{"vrm":';

/**
 * The listener of the HTTP server: every request is logged, then gets a fault or an answer. Faults are
 * applied here, below the web framework, because handlers of a framework cannot reset a connection or
 * cut a body.
 */
export function createListener(
  fetch: Fetch,
  faults: Faults,
  log: RequestLog,
  signal: AbortSignal,
): RequestListener {
  const answer = getRequestListener(fetch, { overrideGlobalObjects: false });
  return (incoming, outgoing) => {
    const url = URL.parse(incoming.url ?? '/', 'http://127.0.0.1');
    if (!url) {
      outgoing.writeHead(400).end();
      return;
    }
    const { route, path } = log.record(incoming, outgoing, url);
    const dealer = url.searchParams.get('dealerId');
    const fault = faults.take({
      route,
      path,
      dealerId: dealer === null ? undefined : Number(dealer),
    });
    if (!fault) {
      answer(incoming, outgoing);
      return;
    }
    strike(fault, incoming, outgoing, fetch, signal).catch(() => {
      // The caller has disconnected, or the service is closing: no answer can be sent.
      outgoing.destroy();
    });
  };
}

async function strike(
  fault: Fault,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<void> {
  if (fault.delayMs !== undefined) await sleep(fault.delayMs, undefined, { signal });
  if (fault.hang) return;
  if (fault.reset) {
    incoming.socket.resetAndDestroy();
    return;
  }
  const { status, headers, body } = await faultyAnswer(fault, incoming, fetch);
  const bodiless = status === 204 || status === 304;
  const length = bodiless ? {} : { 'content-length': body.length };
  outgoing.writeHead(status, { ...headers, ...length });
  if (bodiless || incoming.method === 'HEAD') outgoing.end();
  else if (fault.truncate) await sendHalf(outgoing, incoming.socket, body);
  else if (fault.dripBytesPerSecond) await drip(outgoing, body, fault.dripBytesPerSecond, signal);
  else outgoing.end(body);
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** An answer that needs nothing of the service. Undefined if the fault changes only a true answer. */
function cannedAnswer({ redirectTo, wrongJson, emptyList, status }: Fault): Answer | undefined {
  const answer = (code: number, headers: Record<string, string>, body: string): Answer => ({
    status: code,
    headers,
    body: Buffer.from(body),
  });
  if (redirectTo !== undefined) return answer(302, { location: redirectTo }, '');
  if (wrongJson) return answer(200, JSON_TYPE, WRONG_JSON);
  if (emptyList) return answer(200, JSON_TYPE, '[]');
  if (status === undefined || status === 200) return undefined;
  const message = `Asked-for fault: status ${status}`;
  return answer(status, JSON_TYPE, JSON.stringify({ Success: false, Message: message }));
}

async function faultyAnswer(
  fault: Fault,
  incoming: IncomingMessage,
  fetch: Fetch,
): Promise<Answer> {
  const { status, headers, body } = cannedAnswer(fault) ?? (await trueAnswer(incoming, fetch));
  return {
    status: fault.status ?? status,
    headers: { ...headers, ...fault.headers },
    body: fault.body === undefined ? body : Buffer.from(fault.body),
  };
}

async function trueAnswer(incoming: IncomingMessage, fetch: Fetch): Promise<Answer> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (typeof value === 'string') headers.set(name, value);
  }
  const url = `http://${incoming.headers.host ?? '127.0.0.1'}${incoming.url}`;
  const response = await fetch(new Request(url, { method: incoming.method ?? 'GET', headers }));
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()),
  };
}

/** Half of what was announced, flushed, and then the end of the connection. */
async function sendHalf(outgoing: ServerResponse, socket: Socket, body: Buffer): Promise<void> {
  const half = body.subarray(0, Math.floor(body.length / 2));
  await new Promise<void>((resolve) => outgoing.write(half, () => resolve()));
  socket.destroySoon();
}

const DRIPS_PER_SECOND = 10;

async function drip(
  outgoing: ServerResponse,
  body: Buffer,
  bytesPerSecond: number,
  signal: AbortSignal,
): Promise<void> {
  const step = Math.max(1, Math.round(bytesPerSecond / DRIPS_PER_SECOND));
  for (let at = 0; at < body.length && !outgoing.destroyed; at += step) {
    outgoing.write(body.subarray(at, at + step));
    await sleep(1000 / DRIPS_PER_SECOND, undefined, { signal });
  }
  outgoing.end();
}
