import { hostHttp } from '../../../src/deploy/host-api/http.ts';
import type { HostRun } from '../../../src/deploy/host-api/types.ts';
import type { Clock, HttpClient } from '../../../src/lib/http/http.ts';
import { consoleOf, testClock } from './world.ts';

/** Environment for parts of a host in a deploy. */
export function startRun(
  id: string,
  { clock = testClock(), ...options }: { clock?: Clock; signal?: AbortSignal } = {},
): { run: HostRun; http: HttpClient } & AsyncDisposable {
  const { signal = new AbortController().signal } = options;
  const http = hostHttp({ code: id, name: id, fix: 'Look.', signal, clock, onWait: () => {} });
  return {
    http,
    run: { http, clock, signal, takeOver: false, console: consoleOf(() => {}) },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
}
