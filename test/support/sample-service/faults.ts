import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';

/** Names of the service's routes in faults and in the request log. */
export type RouteName = 'media' | 'batches' | 'picture' | 'other';

const PREFIXES: readonly (readonly [prefix: string, route: RouteName])[] = [
  ['/PublicAPI/GetMediaByDealer', 'media'],
  ['/PublicAPI/MyVideos/', 'batches'],
  ['/pictures/', 'picture'],
];

/** The route of a request path. */
export function routeOf(path: string): RouteName {
  return PREFIXES.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'other';
}

/** A fault of some requests. docs/service.md describes each field. */
export interface Fault {
  route?: RouteName;
  dealerId?: number;
  /** Only paths that contain this. */
  match?: string | RegExp;
  /** Number of affected requests. Default: until cleared. */
  times?: number;
  delayMs?: number;
  hang?: boolean;
  reset?: boolean;
  truncate?: boolean;
  status?: number;
  headers?: Record<string, string>;
  body?: string;
}

/** The active faults. A request gets the first that matches, in the order of activation. */
export class Faults {
  private active: { fault: Fault; remaining: number }[] = [];

  /** Activates a fault and returns a function that removes it. */
  set(fault: Fault): () => void {
    const entry = { fault, remaining: fault.times ?? Number.POSITIVE_INFINITY };
    this.active.push(entry);
    return () => {
      this.active = this.active.filter((other) => other !== entry);
    };
  }

  /** Removes all faults. */
  clear(): void {
    this.active = [];
  }

  /** Hono middleware that applies the faults. */
  middleware: MiddlewareHandler = async (context, next) => {
    const fault = this.take(context);
    return fault ? applyFault(fault, context, next) : next();
  };

  /** The fault for a request, counted as used. */
  private take({ req }: Context): Fault | undefined {
    const { pathname } = new URL(req.url);
    const dealerId = Number(req.query('dealerId'));
    const entry = this.active.find(({ fault }) => matches(fault, pathname, dealerId));
    if (!entry) return undefined;
    entry.remaining--;
    if (entry.remaining <= 0) this.active = this.active.filter((other) => other !== entry);
    return entry.fault;
  }
}

function matches({ route, dealerId, match = '' }: Fault, path: string, id: number): boolean {
  if (route !== undefined && route !== routeOf(path)) return false;
  if (dealerId !== undefined && dealerId !== id) return false;
  return typeof match === 'string' ? path.includes(match) : path.search(match) !== -1;
}

async function applyFault(
  fault: Fault,
  context: Context,
  next: () => Promise<void>,
): Promise<Response | undefined> {
  const { incoming, outgoing } = context.env as HttpBindings;
  // The timer does not keep the process alive after the service was closed.
  if (fault.delayMs !== undefined) await sleep(fault.delayMs, undefined, { ref: false });
  if (fault.hang) return new Promise(() => {});
  if (fault.reset) {
    incoming.socket.resetAndDestroy();
    return RESPONSE_ALREADY_SENT;
  }
  const response = await faultyResponse(fault, context, next);
  // A response that was already set would add its headers.
  context.res = undefined;
  context.res = response;
  if (!fault.truncate) return undefined;
  const body = Buffer.from(await response.arrayBuffer());
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  const half = body.subarray(0, Math.floor(body.length / 2));
  await new Promise<void>((resolve) => outgoing.write(half, () => resolve()));
  incoming.socket.destroySoon();
  context.res = undefined;
  context.res = RESPONSE_ALREADY_SENT;
  return undefined;
}

/** The service's response with the changes of a fault, or an error with its status. */
async function faultyResponse(
  { status, headers, body }: Fault,
  context: Context,
  next: () => Promise<void>,
): Promise<Response> {
  if (status !== undefined && status !== 200) {
    const Message = `Asked-for fault: status ${status}`;
    context.res = Response.json({ Success: false, Message });
  } else await next();
  const { res } = context;
  const bytes = body === undefined ? await res.arrayBuffer() : Buffer.from(body);
  const head = { status: status ?? res.status, headers: new Headers(res.headers) };
  for (const [name, value] of Object.entries(headers ?? {})) head.headers.set(name, value);
  if ([204, 304].includes(head.status)) return new Response(null, head);
  head.headers.set('content-length', String(bytes.byteLength));
  return new Response(bytes, head);
}
