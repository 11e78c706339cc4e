import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';

/** The kinds of address the service answers, as faults and the request log name them. */
export type RouteName = 'media' | 'batches' | 'picture' | 'poster' | 'video' | 'openapi' | 'page';

const PREFIXES: readonly (readonly [prefix: string, route: RouteName])[] = [
  ['/PublicAPI/GetMediaByDealer', 'media'],
  ['/PublicAPI/MyVideos/', 'batches'],
  ['/pictures/', 'picture'],
  ['/posters/', 'poster'],
  ['/player/', 'video'],
  ['/hosted/', 'video'],
  ['/openapi.json', 'openapi'],
];

/** The kind of a request path. Anything that is not listed is a `page`. */
export function routeOf(path: string): RouteName {
  return PREFIXES.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'page';
}

/** A fault of some requests; docs/service.md describes each field. */
export interface Fault {
  route?: RouteName | '*';
  dealerId?: number;
  /** Only paths that contain this. */
  match?: string | RegExp;
  /** How often. Without it, until cleared. */
  times?: number;
  delayMs?: number;
  hang?: boolean;
  reset?: boolean;
  truncate?: boolean;
  status?: number;
  headers?: Record<string, string>;
  body?: string;
}

/** The active faults. The first match in the order of activation is applied to a request. */
export class Faults {
  private armed: { fault: Fault; left: number }[] = [];

  /** Activates a fault and returns a function that removes it. */
  set(fault: Fault): () => void {
    const armed = { fault, left: fault.times ?? Number.POSITIVE_INFINITY };
    this.armed.push(armed);
    return () => {
      this.armed = this.armed.filter((other) => other !== armed);
    };
  }

  /** Removes all faults. */
  clear(): void {
    this.armed = [];
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
    const armed = this.armed.find(({ fault }) => matches(fault, pathname, dealerId));
    if (!armed) return undefined;
    armed.left--;
    if (armed.left <= 0) this.armed = this.armed.filter((other) => other !== armed);
    return armed.fault;
  }
}

function matches({ route = '*', dealerId, match = '' }: Fault, path: string, id: number): boolean {
  if (route !== '*' && route !== routeOf(path)) return false;
  if (dealerId !== undefined && dealerId !== id) return false;
  return typeof match === 'string' ? path.includes(match) : path.search(match) !== -1;
}

async function applyFault(
  fault: Fault,
  context: Context,
  next: () => Promise<void>,
): Promise<Response | undefined> {
  const { incoming, outgoing } = context.env as HttpBindings;
  // The timer does not keep a process alive that has closed the service.
  if (fault.delayMs !== undefined) await sleep(fault.delayMs, undefined, { ref: false });
  if (fault.hang) return new Promise(() => {});
  if (fault.reset) {
    incoming.socket.resetAndDestroy();
    return RESPONSE_ALREADY_SENT;
  }
  const answer = await faultyAnswer(fault, context, next);
  // A response that was already set would add its headers.
  context.res = undefined;
  context.res = answer;
  if (!fault.truncate) return undefined;
  const body = Buffer.from(await answer.arrayBuffer());
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
  const half = body.subarray(0, Math.floor(body.length / 2));
  await new Promise<void>((resolve) => outgoing.write(half, () => resolve()));
  incoming.socket.destroySoon();
  context.res = undefined;
  context.res = RESPONSE_ALREADY_SENT;
  return undefined;
}

/** The service's own response with the changes of a fault, or an error with its status. */
async function faultyAnswer(
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
  const answer = { status: status ?? res.status, headers: new Headers(res.headers) };
  for (const [name, value] of Object.entries(headers ?? {})) answer.headers.set(name, value);
  if ([204, 304].includes(answer.status)) return new Response(null, answer);
  answer.headers.set('content-length', String(bytes.byteLength));
  return new Response(bytes, answer);
}
