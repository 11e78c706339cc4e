import { inspect } from 'node:util';
import { deploy } from '../../../src/deploy/deploy.ts';
import type { DeployEvent, DeployPlan, Host } from '../../../src/deploy/host-api/types.ts';
import type { DeployReport } from '../../../src/deploy/report.ts';
import { AppError } from '../../../src/errors.ts';
import type { Clock } from '../../../src/lib/http/http.ts';

/** A clock that sleeping advances at once. */
export interface TestClock extends Clock {
  /** Milliseconds since 1970. */
  time: number;
  /** Called at the end of each sleep. */
  onSleep: (() => void | Promise<void>) | undefined;
}

export function testClock(time = Date.parse('2026-03-31T02:00:00Z')): TestClock {
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

export interface HostRun {
  host: Host;
  clock: Clock;
  /** Secrets, which are searched for in all output. */
  secret: string;
  signal?: AbortSignal | undefined;
  takeOver?: boolean;
  /** Whether it looks at the live site in the end. */
  verify?: boolean;
  onEvent?: (event: DeployEvent | { kind: 'warning'; text: string }) => void;
}

function refuseSecret(secret: string, said: unknown): void {
  const error =
    said instanceof Error ? { ...said, message: said.message, stack: said.stack } : said;
  const text = inspect(error, { depth: 8, maxStringLength: null, maxArrayLength: null });
  if (text.includes(secret)) throw new Error('The secret of the host was said.');
}

/**
 * Deploys what lies in a folder, a change set or a whole site, as `npm run deploy` does.
 *
 * @throws what it ends with.
 */
export async function deployFolder(
  folder: string,
  { secret, ...given }: HostRun,
): Promise<{ report: DeployReport; said: string[] }> {
  const said: string[] = [];
  const { report, error } = await deploy({
    takeOver: false,
    verify: true,
    signal: new AbortController().signal,
    ...given,
    folder,
    site: async () => undefined,
    dryRun: false,
    indexNow: 'http://127.0.0.1:1',
    onEvent: (event) => {
      said.push(event.text);
      given.onEvent?.(event);
    },
  });
  refuseSecret(secret, [report, said]);
  refuseSecret(secret, error);
  if (error !== undefined) throw error;
  return { report, said };
}

/** The error of a deploy or another request that must fail. */
export async function failureOf(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => new Error('It succeeded.'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof AppError) return error;
  throw error;
}

export interface DeployToOptions extends Pick<Partial<HostRun>, 'clock' | 'signal' | 'takeOver'> {
  /** Takes what was said aloud. */
  lines?: string[];
  /** Called with the plan, before it is carried out. */
  onPlan?: (plan: DeployPlan) => void | Promise<void>;
}

/** Deploys as `deployFolder` does, without verifying the live site. @returns what was sent, and the plan. */
export async function deployTo(
  { host, ...rest }: Pick<HostRun, 'host' | 'secret'>,
  folder: string,
  { clock = testClock(), lines = [], onPlan, ...options }: DeployToOptions = {},
) {
  const plans: DeployPlan[] = [];
  const { report } = await deployFolder(folder, {
    ...rest,
    ...options,
    clock,
    verify: false,
    host: {
      id: host.id,
      http: host.http,
      readsRules: host.readsRules,
      deploy: (...args) => host.deploy(...args),
      releases: (run) => host.releases(run),
      show: (release, run) => host.show(release, run),
      plan: async (source, run) => {
        const plan = await host.plan(source, run);
        plans.push(plan);
        await onPlan?.(plan);
        return plan;
      },
    },
    onEvent: ({ kind, text }) => {
      if (kind === 'line') lines.push(text);
    },
  });
  return { requests: 0, ...report, ...report.sent, remove: plans[0]?.remove };
}
