import path from 'node:path';
import { inspect } from 'node:util';
import { expect } from 'vitest';
import { type DeployOptions, deploy, releases, rollback } from '../../../src/deploy/deploy.ts';
import type { DeployReport } from '../../../src/deploy/report.ts';
import type { Clock } from '../../../src/lib/http/http.ts';
import { temporaryFolder } from '../build.ts';
import { type Site, servedOf, textsOf, writeChanges, writeSite } from './change-set.ts';
import type { HostServer } from './host.ts';
import { clientOf, type HostKind } from './kinds.ts';

export { failureOf } from '../thrown.ts';

/** A clock that sleeping advances immediately. */
export interface TestClock extends Clock {
  /** Milliseconds since 1970. */
  time: number;
  /** Milliseconds of each sleep. */
  slept: number[];
  /** Called at the end of each sleep. */
  onSleep: (() => void | Promise<void>) | undefined;
}

export function testClock(time = Date.parse('2026-03-31T02:00:00Z')): TestClock {
  const clock: TestClock = {
    time,
    slept: [],
    onSleep: undefined,
    now: () => clock.time,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      clock.slept.push(ms);
      clock.time += ms;
      await clock.onSleep?.();
    },
  };
  return clock;
}

/** Build time of the sites in tests. */
export const builtOn = (day: number): string =>
  `2026-03-${String(day).padStart(2, '0')}T02:00:00.000Z`;

export const PICTURE = (digit: number) => `media/ab/${`${digit}`.repeat(18)}-320-abcdef.webp`;

/** Two sites, one night after the other. */
export const FIRST: Site = {
  'index.html': '<p>front',
  '404.html': '<p>nothing here',
  'one/index.html': `<p>dealer <img src="${PICTURE(1)}">`,
  'one/media.json': '{"vehicles":[]}',
  'one/car/index.html': `<p>car <img src="${PICTURE(2)}">`,
  'gone/index.html': `<p>gone <img src="${PICTURE(9)}">`,
  'assets/site.css': 'p{}',
  [PICTURE(1)]: 'picture',
  [PICTURE(2)]: 'larger picture',
  [PICTURE(9)]: 'picture that goes',
  'api/records/times.json': '{"night":1}',
  _headers: '/*\n  X-Frame: no\n/media/*\n  Cache-Control: public, immutable\n',
};
const { 'gone/index.html': _page, [PICTURE(9)]: _picture, ...left } = FIRST;
export const LEFT: Site = left;
export const SECOND: Site = {
  ...LEFT,
  'index.html': '<p>front, new',
  'two/index.html': `<p>another dealer <img src="${PICTURE(3)}">`,
  [PICTURE(3)]: 'new picture',
  'api/records/times.json': '{"night":2}',
};

/** A terminal that passes each line and each state of progress to a function. */
export const consoleOf = (onText: (text: string) => void): DeployOptions['console'] => ({
  line: onText,
  warn: onText,
  progress: onText,
});

/** `npm run deploy`, without its command line. */
export interface DeployRun
  extends Pick<DeployOptions, 'host' | 'clock'>,
    Partial<Pick<DeployOptions, 'signal' | 'takeOver' | 'verify' | 'dryRun' | 'indexNow'>> {
  onEvent?: (event: { text: string }) => void;
  /** Searched for in all output. */
  secrets: readonly string[];
}

/** Tokens of Cloudflare's uploads begin like any JSON. */
const JSON_TOKEN = 'eyJ';

function refuseSecrets(secrets: readonly string[], output: unknown): void {
  const shown =
    output instanceof Error ? { ...output, message: output.message, stack: output.stack } : output;
  const text = inspect(shown, { depth: 8, maxStringLength: null, maxArrayLength: null });
  for (const secret of [...secrets, JSON_TOKEN]) {
    if (text.includes(secret)) throw new Error('A secret of the host was printed.');
  }
}

const RUN = {
  takeOver: false,
  verify: true,
  dryRun: false,
  indexNow: 'http://127.0.0.1:1',
};

/**
 * Deploys a folder, a change set or a full site.
 *
 * @throws the error of the deploy.
 */
export async function deployFolder(
  folder: string,
  { secrets, onEvent, ...run }: DeployRun,
): Promise<DeployReport & { messages: string[] }> {
  const messages: string[] = [];
  const { report, error } = await deploy({
    ...RUN,
    signal: new AbortController().signal,
    ...run,
    folder,
    console: consoleOf((text) => {
      messages.push(text);
      onEvent?.({ text });
    }),
  });
  refuseSecrets(secrets, [report, messages]);
  refuseSecrets(secrets, error);
  if (error !== undefined) throw error;
  return { ...report, messages };
}

export interface NightOptions extends Partial<Omit<DeployRun, 'secrets'>> {
  /** The published site that the build knew. The change set then contains only changes. */
  former?: Site;
  form?: 'thin' | 'whole';
  /** Day of March of the build, or its time. */
  day?: number;
  built?: string;
  /** URL of the site and its key for IndexNow. */
  url?: string;
  key?: string;
  /** Other settings of the deploy. */
  environment?: Record<string, string>;
}

/** A host and deploys to it, by default on a clock that advances without waiting. */
export async function startWorld<
  S extends HostServer,
  O extends object = object,
  C extends Clock = TestClock,
>(
  kind: HostKind<S, O & { now?: () => number }>,
  options?: O,
  clock: C = testClock() as Clock as C,
) {
  const folder = await temporaryFolder();
  const host = await kind.start({ now: () => clock.now(), ...(options as O) });
  const messages: string[] = [];
  let nights = 0;
  const served = () => textsOf(host.served());

  const client = (environment: Record<string, string> = {}) =>
    clientOf(kind.id, { ...host.environment(), ...environment });

  /** Writes the output of a build. @returns its folder. */
  const write = async (site: Site, night: NightOptions = {}): Promise<string> => {
    const { former, form = 'thin', day = former ? 2 : 1, url = host.siteUrl, key } = night;
    const { built = builtOn(day) } = night;
    const made = path.join(folder.path, `night-${++nights}`);
    if (form === 'whole') await writeSite(made, site);
    else await writeChanges(made, site, { url, built, former, indexNow: key });
    return made;
  };

  const deployMade = async (made: string, night: NightOptions = {}) => {
    const {
      former: _f,
      form: _w,
      day: _d,
      built: _b,
      url: _u,
      key: _k,
      environment,
      ...run
    } = night;
    return deployFolder(made, {
      ...(await client(environment)),
      clock,
      ...run,
      onEvent: (event) => {
        messages.push(event.text);
        run.onEvent?.(event);
      },
    });
  };

  const run = async () => ({
    ...(await client()),
    clock,
    takeOver: false,
    signal: new AbortController().signal,
    console: consoleOf(() => {}),
  });

  /** Does work that is interrupted at a request. @returns whether there was such a request. */
  const interrupted = async (
    request: number,
    work: (signal: AbortSignal) => Promise<unknown>,
    carriesOut = false,
  ) => {
    const controller = new AbortController();
    host.cut({ request, carriesOut, onCut: () => controller.abort() });
    await work(controller.signal).catch(() => {});
    await host.idle();
    host.cut(undefined);
    return controller.signal.aborted;
  };

  return {
    clock,
    folder: folder.path,
    host,
    interrupted,
    /** All messages of deploys so far. */
    messages,
    served,
    write,
    deploy: deployMade,
    /** A build on a disk without a cache, and its deploy. */
    night: async (site: Site, night: NightOptions = {}) =>
      deployMade(await write(site, night), night),
    expectServed: (site: Site, why?: string) => expect(served(), why).toEqual(servedOf(site)),
    releases: async () => releases(await run()),
    rollback: async (to?: string) => rollback(to, await run()),
    [Symbol.asyncDispose]: async () => {
      await host[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
