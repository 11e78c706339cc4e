import type { Clock } from '../../../src/deploy/http.ts';
import type { Host, Plan, Sent } from '../../../src/deploy/types.ts';
import { startDeploying } from './deploying.ts';

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
      signal.throwIfAborted();
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
  onPlan?: (plan: Plan) => void | Promise<void>;
}

/** Deploys what a build left in a folder, as `npm run deploy` does, without its look at the live site. */
export async function deployTo(
  host: Host,
  folder: string,
  { clock = testClock(), lines = [], onPlan, ...options }: DeployToOptions = {},
): Promise<Sent & { requests: number; plan: Plan }> {
  const words = { code: host.id, name: host.id, fix: 'Look.' };
  await using deploying = startDeploying(words, { clock, ...options });
  const { run, http, open } = deploying;
  const told = {
    ...run,
    tell: (event: Parameters<typeof run.tell>[0]) => {
      if (event.kind === 'line') lines.push(event.text);
    },
  };
  const source = await open(folder);
  const plan = await host.plan(source, told);
  await onPlan?.(plan);
  const sent = await host.deploy(source, plan, told);
  return { ...sent, requests: http.counts.requests, plan };
}
