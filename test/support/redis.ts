import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type Redis = Awaited<ReturnType<typeof startRedis>>;

/**
 * Starts a real redis-server on a Unix socket in a separate folder, with the settings of docs/scale.md:
 * noeviction, append-only file.
 *
 * @param within parent of its folder, if others must see its socket. The system's temporary folder by
 * default.
 */
export async function startRedis(within = tmpdir()) {
  if (spawnSync('redis-server', ['--version']).error) {
    throw new Error(
      'redis-server is not installed, and these tests run against a real one. Install it (Debian: apt-get install redis-server) and run them again.',
    );
  }
  const folder = await mkdtemp(path.join(within, 'redis-'));
  const socket = path.join(folder, 'redis.sock');
  let child: ChildProcess | undefined;
  /** Sends one command and returns the raw response. */
  const command = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const connection = createConnection(socket, () => connection.write(`${text}\r\n`));
      connection.setEncoding('utf8');
      connection.once('data', (answer: string) => {
        connection.destroy();
        resolve(answer);
      });
      connection.once('error', reject);
    });
  /** Also restarts it, with the content of its append-only file. */
  const start = async () => {
    const options = ['--port 0', `--unixsocket ${socket}`, `--dir ${folder}`];
    const policy = ['--maxmemory-policy noeviction', '--appendonly yes', '--save ""'];
    child = spawn(
      'redis-server',
      [...options, ...policy].flatMap((one) => one.split(' ')),
      { stdio: 'ignore' },
    );
    for (let attempt = 0; attempt < 600; attempt++) {
      if ((await command('PING').catch(() => '')).startsWith('+PONG')) return;
      await sleep(50);
    }
    throw new Error('redis-server did not start within 30 s.');
  };
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  await start();
  return {
    /** Value for QUEUE_URL. */
    url: `unix://${socket}`,
    command,
    kill,
    start,
    [Symbol.asyncDispose]: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
