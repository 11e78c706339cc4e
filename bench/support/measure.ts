import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Cost of one run of a command, including its child processes. */
export interface Cost {
  /** Seconds. */
  wall: number;
  /** Seconds of CPU, user and system. */
  cpu: number;
  /** Peak memory of all processes in MB, sampled 10 times a second. 0 if unknown. */
  peak: number;
  /** The same for the largest process. */
  largest: number;
  /** Standard output of the command. */
  output: string;
}

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process ended between two samples, or the system is not Linux.
    return '';
  }
};

/** Memory of a process and its descendants in bytes. A shared page counts once (PSS). */
function memoryBelow(pid: number): number[] {
  const kilobytes = /^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? '0';
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean);
  return [Number(kilobytes) * 1024, ...children.flatMap((child) => memoryBelow(Number(child)))];
}

/**
 * Runs a command and measures it from outside. The shell's `time` returns the kernel's figures for the
 * command and all processes that it waited for. Pending writes are flushed first, so they do not count for
 * this command.
 *
 * @throws if the command failed.
 */
export function measure(
  command: readonly string[],
  cwd?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Cost> {
  spawnSync('sync');
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', 'TIMEFORMAT="%R %U %S"; time "$@"', 'bash', ...command], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    let peak = 0;
    let largest = 0;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    const sampler = setInterval(() => {
      const each = memoryBelow(child.pid ?? 0);
      peak = Math.max(
        peak,
        each.reduce((sum, bytes) => sum + bytes, 0),
      );
      largest = Math.max(largest, ...each);
    }, 100);
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(sampler);
      if (code !== 0)
        return reject(new Error(`${command.join(' ')}\nended with ${code}: ${errors}`));
      const times = errors.trim().split('\n').at(-1) ?? '';
      const [wall = 0, user = 0, system = 0] = times.split(' ').map(Number);
      resolve({ wall, cpu: user + system, peak: peak / 1e6, largest: largest / 1e6, output });
    });
  });
}

const PRELOAD = fileURLToPath(new URL('../../scripts/installed.cjs', import.meta.url));

/** Runs a script of this project in a separate process that is started like `npm run build`, with data as JSON. */
export function measureScript(script: URL, data: object): Promise<Cost> {
  const flags = ['--max-semi-space-size=16', '-r', PRELOAD];
  return measure([process.execPath, ...flags, script.pathname, JSON.stringify(data)]);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** The medians of several runs. */
export function medianCost(costs: readonly Cost[]): Omit<Cost, 'output'> {
  const of = (key: 'wall' | 'cpu' | 'peak' | 'largest') => median(costs.map((cost) => cost[key]));
  return { wall: of('wall'), cpu: of('cpu'), peak: of('peak'), largest: of('largest') };
}

/** Runs all contenders in turn, A B A B …, so that noise on the machine affects each of them. */
export async function interleave<Name extends string>(
  runs: number,
  contenders: Record<Name, (run: number) => Promise<Cost>>,
): Promise<Record<Name, Cost[]>> {
  const names = Object.keys(contenders) as Name[];
  const costs = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    Cost[]
  >;
  for (let run = 0; run < runs; run++) {
    for (const name of names) {
      const cost = await contenders[name](run);
      costs[name].push(cost);
      console.log(
        `  ${name} ${run + 1}/${runs}: ${cost.wall.toFixed(2)} s, CPU ${cost.cpu.toFixed(2)} s, ${cost.peak.toFixed(0)} MB, the largest process ${cost.largest.toFixed(0)} MB`,
      );
    }
  }
  return costs;
}
