import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { EXIT } from '../src/errors.ts';
import { keepOutcomes, knownOutcomes } from '../test/mutation/known-outcomes.ts';
import { filesOf, tryMutants } from '../test/mutation/run.ts';
import { compare, readSurvivors, SURVIVORS, updated } from '../test/mutation/survivors.ts';
import { TARGETS } from '../test/mutation/targets.ts';

const usage = `
Changes the code in small ways, one at a time, and looks whether a unit test notices. Ends with an
error where a change survives that test/mutation/survivors.json does not list.

npm run mutation [-- FOLDER …] [--all] [--list]

  FOLDER …       only these folders or files, such as src/stock/vehicle.ts
  --all          try also what is known from an earlier run: its file and tests did not change
  --list         write survivors.json anew: new ones are "open", until somebody writes the reason
  --processes N  how many at the same time, 2
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean' },
    help: { type: 'boolean' },
    list: { type: 'boolean' },
    processes: { type: 'string', default: '2' },
  },
});

async function main(): Promise<number> {
  const started = performance.now();
  const targets = positionals.length > 0 ? positionals : [...TARGETS];
  const known = readSurvivors();
  const outcomes = await tryMutants(targets.flatMap(filesOf), {
    recall: knownOutcomes({ all: values.all === true }),
    progress: (text) => console.log(text),
    processes: Number(values.processes),
  });
  keepOutcomes(outcomes);
  const { scores, added, gone } = compare(outcomes, known, targets);
  for (const { target, mutants, killed, explained, open } of scores) {
    const share = ((100 * killed) / mutants).toFixed(1);
    console.log(`${target}: ${share} % of ${mutants} killed; ${explained} explained, ${open} open`);
  }
  console.log(`${Math.round((performance.now() - started) / 1000)} seconds.`);
  if (values.list) {
    await writeFile(SURVIVORS, `${JSON.stringify(updated(outcomes, known), null, 2)}\n`);
    return EXIT.published;
  }
  for (const { mutant, reachedBy } of added) {
    const reach = reachedBy.length === 0 ? ' (no test reaches it)' : '';
    console.log(`Survived: ${mutant.file}:${mutant.line} ${mutant.name}${reach}`);
  }
  for (const name of gone) console.log(`Listed, but killed or gone: ${name}`);
  return added.length + gone.length > 0 ? EXIT.gate : EXIT.published;
}

if (values.help) console.log(usage.trim());
else process.exitCode = await main();
