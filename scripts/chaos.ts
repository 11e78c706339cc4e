import { spawn } from 'node:child_process';
import { EXIT } from '../src/errors.ts';
import { timeText } from '../src/terminal/progress.ts';
import { playSeed, setStage } from '../test/chaos/seed.ts';
import { runCommand } from './cli.ts';

const usage = `
Random nights: faults of the service and of pictures, changes of the stock, jumps of the clock, kills
at random moments; each seed ends with a calm night. After every build the invariants of
docs/reliability.md are checked.

npm run chaos -- [options]
  --seeds N    how many seeds; default 25
  --from K     first seed; default 1
  --seed K     one seed alone, told in full
  --jobs N     processes at the same time; default 2
`;

/** One process's share: every nth seed. */
async function play(seeds: readonly number[], verbose: boolean): Promise<number> {
  await using stage = await setStage();
  let failed = 0;
  for (const seed of seeds) {
    const wrong = await playSeed(seed, stage, verbose ? console.log : () => {});
    if (wrong.length === 0) continue;
    failed++;
    console.log(`seed ${seed} failed:`);
    for (const text of wrong) console.log(`  ${text}`);
    console.log(`  replay: npm run chaos -- --seed ${seed}`);
  }
  return failed;
}

function playElsewhere(from: number, to: number): Promise<number> {
  const child = spawn(
    process.execPath,
    [process.argv[1] ?? '', '--from', String(from), '--seeds', String(to - from), '--jobs', '1'],
    { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, CHAOS_PART: '1' } },
  );
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

await runCommand(
  {
    usage,
    options: {
      seeds: { type: 'string', default: '25' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      jobs: { type: 'string', default: '2' },
    },
  },
  async ({ values }) => {
    if (values.seed !== undefined) {
      const failed = await play([Number(values.seed)], true);
      return failed === 0 ? EXIT.published : EXIT.internal;
    }
    const [first, count, jobs] = [values.from, values.seeds, values.jobs].map(Number) as [
      number,
      number,
      number,
    ];
    const started = performance.now();
    if (jobs === 1) {
      const seeds = Array.from({ length: count }, (_, index) => first + index);
      const failed = await play(seeds, false);
      if (process.env.CHAOS_PART === undefined) tellEnd(count, failed, started);
      // As an exit code the count has one byte.
      return Math.min(failed, 100);
    }
    const size = Math.ceil(count / jobs);
    const parts = Array.from({ length: jobs }, (_, index) => {
      const from = first + index * size;
      return playElsewhere(from, Math.min(first + count, from + size));
    });
    const failed = (await Promise.all(parts)).reduce((sum, one) => sum + one, 0);
    tellEnd(count, failed, started);
    return failed === 0 ? EXIT.published : EXIT.internal;
  },
);

function tellEnd(count: number, failed: number, started: number): void {
  console.log(
    `chaos: ${count - failed} passed, ${failed} failed (${timeText(performance.now() - started)})`,
  );
}
