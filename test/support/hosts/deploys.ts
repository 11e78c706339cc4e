import { inspect } from 'node:util';
import { type Clock, HostHttp, type HostHttpOptions } from '../../../src/deploy/http.ts';
import { LiveSite } from '../../../src/deploy/live.ts';
import { openSource } from '../../../src/deploy/source.ts';
import type { DeployEvent, Host, Plan, Run, Sent } from '../../../src/deploy/types.ts';

/** Time that passes as it is slept, so that nobody waits for it. */
export interface QuickClock extends Clock {
  /** Milliseconds since 1970. */
  time: number;
  /** Milliseconds slept, in all. */
  slept: number;
}

export function quickClock(start = '2026-03-02T02:00:00Z'): QuickClock {
  const clock: QuickClock = {
    time: Date.parse(start),
    slept: 0,
    now: () => clock.time,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      clock.time += ms;
      clock.slept += ms;
    },
  };
  return clock;
}

export interface HostRun {
  host: Host;
  /** How it is asked. */
  http: Pick<HostHttpOptions, 'code' | 'name' | 'fix' | 'pace'>;
  clock: Clock;
  /** What nobody may see: it is looked for in all that is said. */
  secret: string;
  signal?: AbortSignal | undefined;
  takeOver?: boolean;
  onEvent?: (event: DeployEvent) => void;
}

const refuseSecret = (secret: string, said: unknown): void => {
  const error =
    said instanceof Error ? { ...said, message: said.message, stack: said.stack } : said;
  const text = inspect(error, { depth: 8, maxStringLength: null, maxArrayLength: null });
  if (text.includes(secret)) throw new Error('The secret of the host was said.');
};

/** Does something with a host, over connections of its own. */
export async function withHost<T>(
  { host, http: options, clock, secret, signal, takeOver = false, onEvent }: HostRun,
  work: (host: Host, run: Run) => Promise<T>,
): Promise<{ result: T; said: string[]; requests: number }> {
  const said: string[] = [];
  const running = signal ?? new AbortController().signal;
  const onWait = (text: string) => said.push(text);
  await using http = new HostHttp({ ...options, clock, signal: running, onWait });
  const run: Run = {
    http,
    clock,
    signal: running,
    takeOver,
    tell: (event) => {
      said.push(event.text);
      onEvent?.(event);
    },
  };
  try {
    const result = await work(host, run);
    refuseSecret(secret, [result, said]);
    return { result, said, requests: http.counts.requests };
  } catch (error) {
    refuseSecret(secret, said);
    refuseSecret(secret, error);
    throw error;
  }
}

/** Deploys what lies in a folder: a change set, or a whole site. */
export async function deployFolder(
  folder: string,
  given: HostRun,
): Promise<{ sent: Sent; plan: Plan; said: string[]; requests: number }> {
  const { clock } = given;
  const signal = given.signal ?? new AbortController().signal;
  const [name, fix, code, retries] = ['The live site', '', 'live', 0];
  await using http = new HostHttp({ code, name, fix, retries, clock, signal, onWait: () => {} });
  const source = await openSource(folder, { live: (url) => new LiveSite(url, http) });
  const { result, ...more } = await withHost(given, async (host, run) => {
    const plan = await host.plan(source, run);
    return { plan, sent: await host.deploy(source, plan, run) };
  });
  return { ...result, ...more };
}
