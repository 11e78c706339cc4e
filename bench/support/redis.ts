import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A Redis for a bench, in a folder of its own. */
export interface BenchRedis {
  url: string;
  /** CPU seconds that it has used. */
  cpu: () => number;
  /** Memory that it takes now, in bytes. */
  memory: () => number;
  close: () => void;
}

/** Whether redis-server is on the PATH. */
export const hasRedis = (): boolean => !spawnSync('redis-server', ['--version']).error;

/** CPU seconds of a process, from the kernel. The ticks of Linux are a hundredth of a second. */
export function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const memoryOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;

/** Starts Redis as docs/scale.md says: noeviction and an append-only file. */
export async function startBenchRedis(folder: string): Promise<BenchRedis> {
  const socket = path.join(folder, 'redis.sock');
  const options = `--port 0 --unixsocket ${socket} --dir ${folder} --appendonly yes --maxmemory-policy noeviction`;
  const child: ChildProcess = spawn('redis-server', options.split(' '), { stdio: 'ignore' });
  const pid = child.pid ?? 0;
  await sleep(500);
  return {
    url: `unix://${socket}`,
    cpu: () => cpuOf(pid),
    memory: () => memoryOf(pid),
    close: () => child.kill('SIGKILL'),
  };
}
