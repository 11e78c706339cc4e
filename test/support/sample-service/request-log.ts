import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type RouteName, routeOf } from './faults.ts';

export interface LoggedRequest {
  route: RouteName;
  method: string;
  path: string;
  /** Query values by name. The value of any key is replaced by `[key]`. */
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  /** Status of the response. Null while it is being sent, or if none was sent. */
  status: number | null;
}

/** More than any test reads, but few enough for a service that runs for days. */
const MAX_ENTRIES = 20_000;

/** Log of the requests to the service, oldest first. It contains no key. */
export class RequestLog {
  private entries: LoggedRequest[] = [];
  private sent = new Map<RouteName, number>();

  /** Logs a request now, and its outcome when the response ends. */
  record(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = incoming;
    const bytesBefore = socket.bytesWritten;
    const url = URL.parse(incoming.url ?? '/', 'http://127.0.0.1') ?? new URL('http://127.0.0.1');
    const entry: LoggedRequest = {
      route: routeOf(url.pathname),
      method: incoming.method ?? 'GET',
      path: url.pathname,
      query: Object.fromEntries(
        [...url.searchParams].map(([name, value]) => [name, /key/i.test(name) ? '[key]' : value]),
      ),
      headers: incoming.headers,
      status: null,
    };
    this.entries.push(entry);
    if (this.entries.length > MAX_ENTRIES) this.entries.shift();
    outgoing.once('close', () => {
      if (outgoing.headersSent) entry.status = outgoing.statusCode;
      const bytes = socket.bytesWritten - bytesBefore;
      this.sent.set(entry.route, this.bytes(entry.route) + bytes);
    });
  }

  /** A copy of the log, of one route or all routes. */
  list(route?: RouteName): LoggedRequest[] {
    return this.entries.filter((entry) => route === undefined || entry.route === route);
  }

  /** Bytes written for a route since the start or the last `clear`, headers included. */
  bytes(route: RouteName): number {
    return this.sent.get(route) ?? 0;
  }

  clear(): void {
    this.entries = [];
    this.sent.clear();
  }
}
