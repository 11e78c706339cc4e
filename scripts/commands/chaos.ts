import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { EXIT } from '../../src/errors.ts';
import type { Run } from '../../src/lib/command-line/definition.ts';
import { type Console, createConsole, timeText } from '../../src/lib/terminal/progress.ts';
import { playSeed } from '../../test/chaos/seed.ts';
import { setStage } from '../../test/chaos/stage.ts';
import type { CHAOS_OPTIONS } from './options.ts';

const SCRIPT = fileURLToPath(new URL('../run.ts', import.meta.url));

interface PlayOptions {
  print(text: string): void;
  /** Reports each step of a seed. */
  notify?(text: string): void;
  /** Called after each seed. */
  onSeedDone?(): void;
}

/** One process's share of the seeds. */
async function play(
  seeds: readonly number[],
  { print, notify = () => {}, onSeedDone = () => {} }: PlayOptions,
): Promise<number> {
  await using stage = await setStage();
  let failed = 0;
  for (const seed of seeds) {
    const problems = await playSeed(seed, stage, notify);
    onSeedDone();
    if (problems.length === 0) continue;
    failed++;
    print(`seed ${seed} failed:`);
    for (const text of problems) print(`  ${text}`);
    print(`  replay: npm run chaos -- --seed ${seed}`);
  }
  return failed;
}

function playElsewhere(from: number, to: number, onSeedDone: () => void): Promise<number> {
  const child = spawn(
    process.execPath,
    [SCRIPT, 'chaos', '--from', String(from), '--seeds', String(to - from), '--jobs', '1'],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: { ...process.env, CHAOS_PART: '1' } },
  );
  // If a process ends without a result, all its seeds count as failed.
  let failed = to - from;
  child.on('message', (message) => {
    if (typeof message === 'number') failed = message;
    else onSeedDone();
  });
  return new Promise((resolve) => child.on('close', () => resolve(failed)));
}

export const run: Run<typeof CHAOS_OPTIONS> = async ({ values }, { stdout, env }) => {
  const print = (text: string) => stdout.write(`${text}\n`);
  if (values.seed !== undefined) {
    const failed = await play([values.seed], { print, notify: print });
    return failed === 0 ? EXIT.published : EXIT.internal;
  }
  const { from: first, seeds: count } = values;
  const jobs = Math.max(1, values.jobs);
  const lines = createConsole({ stream: stdout, quiet: values.quiet });
  const isPart = env.CHAOS_PART !== undefined;
  let done = 0;
  const onSeedDone = () => {
    if (isPart) process.send?.('played');
    else {
      done++;
      lines.progress(`Seeds: ${done} of ${count}`, done / count);
    }
  };
  const start = performance.now();
  if (jobs === 1) {
    const seeds = Array.from({ length: count }, (_, index) => first + index);
    const failed = await play(seeds, { print, onSeedDone });
    if (isPart) {
      process.send?.(failed, () => process.disconnect?.());
    } else reportEnd(lines, { first, count, failed, start });
    return failed === 0 ? EXIT.published : EXIT.internal;
  }
  const size = Math.ceil(count / jobs);
  const parts = Array.from({ length: jobs }, (_, index) => {
    const from = first + index * size;
    return playElsewhere(from, Math.min(first + count, from + size), onSeedDone);
  });
  const failed = (await Promise.all(parts)).reduce((sum, count) => sum + count, 0);
  reportEnd(lines, { first, count, failed, start });
  return failed === 0 ? EXIT.published : EXIT.internal;
};

interface Result {
  first: number;
  count: number;
  failed: number;
  /** By `performance.now()`. */
  start: number;
}

function reportEnd(lines: Console, { first, count, failed, start }: Result): void {
  lines.finish();
  const time = timeText(performance.now() - start);
  lines.line(
    `chaos, seeds ${first} to ${first + count - 1}: ${count - failed} passed, ${failed} failed (${time})`,
  );
}
