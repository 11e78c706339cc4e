import { hostHttp } from '../../../src/deploy/host-api/http.ts';
import type { DeployPlan, Host, Run, Sent } from '../../../src/deploy/host-api/types.ts';
import { LiveSite } from '../../../src/deploy/live.ts';
import { openSource } from '../../../src/deploy/source.ts';
import type { HttpClient } from '../../../src/lib/http/client.ts';
import type { Clock } from '../../../src/lib/http/http.ts';

/** A clock that goes on when somebody sleeps by it. */
export interface TestClock extends Clock {
  /** Milliseconds since 1970. */
  time: number;
  /** Called at the end of each sleep. */
  onSleep: (() => void | Promise<void>) | undefined;
}

export function testClock(time = Date.parse('2026-03-02T02:00:00Z')): TestClock {
  const clock: TestClock = {
    time,
    onSleep: undefined,
    now: () => clock.time,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      clock.time += ms;
      await clock.onSleep?.();
    },
  };
  return clock;
}

export interface DeployToOptions {
  clock?: Clock;
  signal?: AbortSignal;
  takeOver?: boolean;
  /** Takes what was said aloud. */
  lines?: string[];
  /** Called with the plan, before it is carried out. */
  onPlan?: (plan: DeployPlan) => void | Promise<void>;
}

/** What surrounds a host in a deploy. */
export function startRun(
  id: string,
  { clock = testClock(), lines = [], ...options }: DeployToOptions = {},
): { run: Run; http: HttpClient } & AsyncDisposable {
  const { signal = new AbortController().signal, takeOver = false } = options;
  const onWait = (text: string) => lines.push(text);
  const http = hostHttp({ code: id, name: id, fix: 'Look.', signal, clock, onWait });
  const notify: Run['notify'] = (event) => {
    if (event.kind === 'line') lines.push(event.text);
  };
  return {
    http,
    run: { http, clock, signal, takeOver, notify },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
}

/** Deploys what a build left in a folder, as `npm run deploy` does, without its look at the live site. */
export async function deployTo(
  host: Host,
  folder: string,
  options: DeployToOptions = {},
): Promise<Sent & { requests: number; plan: DeployPlan }> {
  const { clock = testClock() } = options;
  await using started = startRun(host.id, { ...options, clock });
  await using live = startRun('live', { ...options, clock, lines: [] });
  const { run, http } = started;
  const source = await openSource(folder, {
    site: async () => undefined,
    live: (site) => new LiveSite(site, live.http),
  });
  const plan = await host.plan(source, run);
  await options.onPlan?.(plan);
  const sent = await host.deploy(source, plan, run);
  return { ...sent, requests: http.counts.requests, plan };
}
