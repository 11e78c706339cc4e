import type { IncomingMessage, ServerResponse } from 'node:http';
import { type RouteName, routeOf } from './faults.ts';

/** Headers that matter for caching and fetching. Only they are logged. */
const LOGGED_HEADERS = [
  'accept',
  'accept-encoding',
  'if-modified-since',
  'if-none-match',
  'referer',
  'user-agent',
] as const;

export interface LoggedRequest {
  /** Time of the request, ISO 8601. */
  at: string;
  route: RouteName;
  method: string;
  path: string;
  /** Query values by name. The value of any key is replaced by `[key]`. */
  query: Record<string, string>;
  headers: Record<string, string>;
  /** Status of the response. Null while it is being sent, or if none was sent. */
  status: number | null;
  /** Bytes written to the connection for this request, headers included. */
  bytes: number;
  /** Whether the complete response was sent. */
  complete: boolean;
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
      at: new Date().toISOString(),
      route: routeOf(url.pathname),
      method: incoming.method ?? 'GET',
      path: url.pathname,
      query: Object.fromEntries(
        [...url.searchParams].map(([name, value]) => [name, /key/i.test(name) ? '[key]' : value]),
      ),
      headers: Object.fromEntries(
        LOGGED_HEADERS.flatMap((name) => {
          const value = incoming.headers[name];
          return typeof value === 'string' ? [[name, value]] : [];
        }),
      ),
      status: null,
      bytes: 0,
      complete: false,
    };
    this.entries.push(entry);
    if (this.entries.length > MAX_ENTRIES) this.entries.shift();
    outgoing.once('close', () => {
      entry.bytes = socket.bytesWritten - bytesBefore;
      entry.complete = outgoing.writableFinished;
      if (outgoing.headersSent) entry.status = outgoing.statusCode;
      this.sent.set(entry.route, this.bytes(entry.route) + entry.bytes);
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
