import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { EXIT } from '../../src/errors.ts';
import type { Run } from '../../src/lib/command-line/definition.ts';
import { type Console, createConsole, timeText } from '../../src/lib/terminal/progress.ts';
import { playSeed } from '../../test/chaos/seed.ts';
import { setStage } from '../../test/chaos/stage.ts';
import type { CHAOS_OPTIONS } from './options.ts';

const SCRIPT = fileURLToPath(new URL('../run.ts', import.meta.url));

interface Playing {
  print(text: string): void;
  /** What happens within a seed. */
  notify?(text: string): void;
  /** Called after each seed. */
  played?(): void;
}

/** One process's share of the seeds. */
async function play(
  seeds: readonly number[],
  { print, notify = () => {}, played = () => {} }: Playing,
): Promise<number> {
  await using stage = await setStage();
  let failed = 0;
  for (const seed of seeds) {
    const wrong = await playSeed(seed, stage, notify);
    played();
    if (wrong.length === 0) continue;
    failed++;
    print(`seed ${seed} failed:`);
    for (const text of wrong) print(`  ${text}`);
    print(`  replay: npm run chaos -- --seed ${seed}`);
  }
  return failed;
}

function playElsewhere(from: number, to: number, played: () => void): Promise<number> {
  const child = spawn(
    process.execPath,
    [SCRIPT, 'chaos', '--from', String(from), '--seeds', String(to - from), '--jobs', '1'],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: { ...process.env, CHAOS_PART: '1' } },
  );
  // A process that ends without a word of its seeds has shown nothing of them.
  let failed = to - from;
  child.on('message', (message) => {
    if (typeof message === 'number') failed = message;
    else played();
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
  const inPart = env.CHAOS_PART !== undefined;
  let done = 0;
  const played = () => {
    if (inPart) process.send?.('played');
    else {
      done++;
      lines.progress(`Seeds: ${done} of ${count}`, done / count);
    }
  };
  const started = performance.now();
  if (jobs === 1) {
    const seeds = Array.from({ length: count }, (_, index) => first + index);
    const failed = await play(seeds, { print, played });
    if (inPart) {
      process.send?.(failed, () => process.disconnect?.());
    } else tellEnd(lines, { first, count, failed, started });
    return failed === 0 ? EXIT.published : EXIT.internal;
  }
  const size = Math.ceil(count / jobs);
  const parts = Array.from({ length: jobs }, (_, index) => {
    const from = first + index * size;
    return playElsewhere(from, Math.min(first + count, from + size), played);
  });
  const failed = (await Promise.all(parts)).reduce((sum, one) => sum + one, 0);
  tellEnd(lines, { first, count, failed, started });
  return failed === 0 ? EXIT.published : EXIT.internal;
};

interface Played {
  first: number;
  count: number;
  failed: number;
  /** By `performance.now()`. */
  started: number;
}

function tellEnd(lines: Console, { first, count, failed, started }: Played): void {
  lines.finish();
  const time = timeText(performance.now() - started);
  lines.line(
    `chaos, seeds ${first} to ${first + count - 1}: ${count - failed} passed, ${failed} failed (${time})`,
  );
}
