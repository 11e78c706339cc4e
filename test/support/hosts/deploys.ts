import { inspect } from 'node:util';
import { deploy } from '../../../src/deploy/deploy.ts';
import type { HostWords } from '../../../src/deploy/host-api/http.ts';
import type { DeployEvent, Host } from '../../../src/deploy/host-api/types.ts';
import type { DeployReport } from '../../../src/deploy/report.ts';
import type { Clock } from '../../../src/lib/http/http.ts';

/** Time that passes as it is slept, so that nobody waits for it. */
export interface QuickClock extends Clock {
  /** Milliseconds since 1970. */
  time: number;
}

export function quickClock(start = '2026-03-02T02:00:00Z'): QuickClock {
  const clock: QuickClock = {
    time: Date.parse(start),
    now: () => clock.time,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      clock.time += ms;
    },
  };
  return clock;
}

export interface HostRun {
  host: Host;
  words: HostWords;
  clock: Clock;
  /** What nobody may see: it is looked for in all that is said. */
  secret: string;
  signal?: AbortSignal | undefined;
  takeOver?: boolean;
  /** Whether it looks at the live site in the end. */
  look?: boolean;
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
    look: true,
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
