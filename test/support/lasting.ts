import { spawn } from 'node:child_process';
import { BARE_PATH } from './checkout.ts';
import { follow } from './command.ts';

/** Starts a command that runs until Ctrl-C, like a shell, and waits until it is ready. */
export async function startLasting(
  command: string,
  ready: RegExp,
  { cwd, env, path: first = [] }: { cwd: string; env: Record<string, string>; path?: string[] },
) {
  const child = spawn('bash', ['-c', command], {
    cwd,
    env: { HOME: process.env.HOME ?? '/', ...env, PATH: [...first, BARE_PATH].join(':') },
    // A separate process group, because Ctrl-C in a terminal reaches all processes of a command.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const group = -(child.pid ?? Number.NaN);
  const { prints, ended } = follow(child);
  const kill = () => {
    try {
      process.kill(group, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  };
  try {
    const [, address = ''] = await prints(ready);
    return {
      /** URL printed by the command. */
      address,
      /** Presses Ctrl-C and waits until all its processes have ended. */
      end: async () => {
        process.kill(group, 'SIGINT');
        await ended;
      },
      [Symbol.asyncDispose]: async () => {
        kill();
        await ended;
      },
    };
  } catch (error) {
    kill();
    throw error;
  }
}
