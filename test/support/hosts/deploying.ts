import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, HostHttp, type HostHttpOptions } from '../../../src/deploy/http.ts';
import { LiveSite } from '../../../src/deploy/live.ts';
import { openSource } from '../../../src/deploy/source.ts';
import type { Host, Plan, Run, Sent, Source } from '../../../src/deploy/types.ts';
import {
  CHANGED_FILES,
  CHANGES,
  changesLines,
  type SiteFile,
} from '../../../src/record/changes.ts';
import { fileHash } from '../../../src/record/files.ts';

/** Files of a site, by path. */
export type Files = Readonly<Record<string, string>>;

/** What thin builds make in every night, whatever changed. */
const ALWAYS = ['_headers', '_redirects', '404.html'];

/** A clock whose waits take no time, and which says how long they were. */
export interface FakeClock extends Clock {
  waits: number[];
  advance(ms: number): void;
}

export function fakeClock(start = Date.parse('2026-03-02T02:00:00Z')): FakeClock {
  let time = start;
  const waits: number[] = [];
  return {
    now: () => time,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      waits.push(ms);
      time += ms;
    },
    waits,
    advance: (ms) => {
      time += ms;
    },
  };
}

export const fileOf = (name: string, text: string): SiteFile => ({
  path: name,
  size: Buffer.byteLength(text),
  hash: fileHash(text),
});

/** The change set that a thin build leaves: a list of all files, and the bytes of what is new. */
export async function writeChanges(
  folder: string,
  { site, built, now, former }: { site: string; built: string; now: Files; former: Files },
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const names = Object.keys(now).sort((a, b) => (a < b ? -1 : 1));
  for (const name of names) {
    if (now[name] === former[name] && !ALWAYS.includes(name)) continue;
    const file = path.join(folder, CHANGED_FILES, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, now[name] ?? '');
  }
  const lines = changesLines(
    { site, built, base: null },
    names.map((name) => fileOf(name, now[name] ?? '')),
    { gone: Object.keys(former).filter((name) => !(name in now)), changed: [] },
  );
  await mkdir(path.join(folder, CHANGED_FILES), { recursive: true });
  await writeFile(path.join(folder, CHANGES), [...lines].join(''));
}

export interface Deploying extends AsyncDisposable {
  run: Run;
  http: HostHttp;
  open(folder: string): Promise<Source>;
  deploy(host: Host, folder: string): Promise<Sent & { plan: Plan }>;
  /** Everything that was said aloud. */
  said: string[];
}

/** What surrounds a host in a deploy: as `npm run deploy` has it, in this process. */
export function startDeploying(
  options: Pick<HostHttpOptions, 'code' | 'name' | 'fix' | 'pace'>,
  {
    clock = fakeClock(),
    signal = new AbortController().signal,
    takeOver = false,
  }: { clock?: Clock; signal?: AbortSignal; takeOver?: boolean } = {},
): Deploying {
  const said: string[] = [];
  const onWait = (text: string) => {
    said.push(text);
  };
  const http = new HostHttp({ ...options, signal, onWait, clock });
  const live = new HostHttp({ code: 'live', name: 'The site', fix: '', signal, onWait, clock });
  const run: Run = {
    http,
    clock,
    signal,
    takeOver,
    tell: ({ text }) => {
      said.push(text);
    },
  };
  const open = (folder: string) =>
    openSource(folder, { site: async () => undefined, live: (site) => new LiveSite(site, live) });
  return {
    run,
    http,
    open,
    said,
    deploy: async (host, folder) => {
      const source = await open(folder);
      const plan = await host.plan(source, run);
      return { plan, ...(await host.deploy(source, plan, run)) };
    },
    [Symbol.asyncDispose]: async () => {
      await http[Symbol.asyncDispose]();
      await live[Symbol.asyncDispose]();
    },
  };
}
