import { spawn } from 'node:child_process';
import { EXIT } from '../src/errors.ts';
import { type Console, createConsole, timeText } from '../src/lib/terminal/progress.ts';
import { playSeed } from '../test/chaos/seed.ts';
import { setStage } from '../test/chaos/stage.ts';
import { runCommand, wholeNumber } from './cli.ts';

const usage = `
Random nights on random disks: kept, restored, empty, or with the published site out of reach; faults of
the service and of pictures, changes of the stock and of keys, parts, jumps of the clock, kills at random
moments; each seed ends with a calm night. After every build the invariants of docs/reliability.md are
checked.

npm run chaos -- [options]
  --seeds N    how many seeds; default 25
  --from K     first seed; default 1
  --seed K     one seed alone, told in full
  --jobs N     processes at the same time; default 2
  --quiet      only what failed
`;

/** One process's share: every nth seed. */
async function play(
  seeds: readonly number[],
  { verbose = false, played = () => {} }: { verbose?: boolean; played?: () => void },
): Promise<number> {
  await using stage = await setStage();
  let failed = 0;
  for (const seed of seeds) {
    const wrong = await playSeed(seed, stage, verbose ? console.log : () => {});
    played();
    if (wrong.length === 0) continue;
    failed++;
    console.log(`seed ${seed} failed:`);
    for (const text of wrong) console.log(`  ${text}`);
    console.log(`  replay: npm run chaos -- --seed ${seed}`);
  }
  return failed;
}

function playElsewhere(from: number, to: number, played: () => void): Promise<number> {
  const child = spawn(
    process.execPath,
    [process.argv[1] ?? '', '--from', String(from), '--seeds', String(to - from), '--jobs', '1'],
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

await runCommand(
  {
    usage,
    options: {
      seeds: { type: 'string', default: '25' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      jobs: { type: 'string', default: '2' },
      quiet: { type: 'boolean' },
    },
  },
  async ({ values }) => {
    if (values.seed !== undefined) {
      const failed = await play([wholeNumber('seed', values.seed)], { verbose: true });
      return failed === 0 ? EXIT.published : EXIT.internal;
    }
    const first = wholeNumber('from', values.from);
    const count = wholeNumber('seeds', values.seeds);
    const jobs = Math.max(1, wholeNumber('jobs', values.jobs, 64));
    const lines = createConsole({ stream: process.stdout, quiet: values.quiet === true });
    const inPart = process.env.CHAOS_PART !== undefined;
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
      const failed = await play(seeds, { played });
      if (inPart) {
        process.send?.(failed, () => process.disconnect?.());
      } else tellEnd(lines, count, failed, started);
      return failed === 0 ? EXIT.published : EXIT.internal;
    }
    const size = Math.ceil(count / jobs);
    const parts = Array.from({ length: jobs }, (_, index) => {
      const from = first + index * size;
      return playElsewhere(from, Math.min(first + count, from + size), played);
    });
    const failed = (await Promise.all(parts)).reduce((sum, one) => sum + one, 0);
    tellEnd(lines, count, failed, started);
    return failed === 0 ? EXIT.published : EXIT.internal;
  },
);

function tellEnd(lines: Console, count: number, failed: number, started: number): void {
  lines.finish();
  lines.line(
    `chaos: ${count - failed} passed, ${failed} failed (${timeText(performance.now() - started)})`,
  );
}
