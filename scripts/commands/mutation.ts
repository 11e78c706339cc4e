import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { ConfigError, EXIT } from '../../src/errors.ts';
import type { Run } from '../../src/lib/command-line/definition.ts';
import { keepOutcomes, knownOutcomes } from '../../test/mutation/known-outcomes.ts';
import { filesOf, tryMutants } from '../../test/mutation/run.ts';
import { compare, readSurvivors, SURVIVORS, updated } from '../../test/mutation/survivors.ts';
import { TARGETS } from '../../test/mutation/targets.ts';
import type { MUTATION_OPTIONS } from './definitions/development.ts';

export const run: Run<typeof MUTATION_OPTIONS> = async ({ values, words }, { stdout }) => {
  const print = (text: string) => stdout.write(`${text}\n`);
  const started = performance.now();
  const targets = words.length > 0 ? words : [...TARGETS];
  for (const target of targets) {
    if (existsSync(target)) continue;
    throw new ConfigError({
      code: 'argument-unknown',
      what: `There is no file or folder ${target}.`,
      why: 'Words name what is to be changed, from the repository on.',
      fix: `Name one of them, or none for all: ${TARGETS.join(', ')}`,
    });
  }
  const known = readSurvivors();
  const outcomes = await tryMutants(targets.flatMap(filesOf), {
    recall: knownOutcomes({ all: values.all === true }),
    progress: print,
    processes: values.jobs,
  });
  keepOutcomes(outcomes);
  const { scores, added, gone } = compare(outcomes, known, targets);
  for (const { target, mutants, killed, explained, open } of scores) {
    const share = ((100 * killed) / mutants).toFixed(1);
    print(`${target}: ${share} % of ${mutants} killed; ${explained} explained, ${open} open`);
  }
  print(`${Math.round((performance.now() - started) / 1000)} seconds.`);
  if (values.list) {
    await writeFile(SURVIVORS, `${JSON.stringify(updated(outcomes, known), null, 2)}\n`);
    return EXIT.published;
  }
  for (const { mutant, reachedBy } of added) {
    const reach = reachedBy.length === 0 ? ' (no test reaches it)' : '';
    print(`Survived: ${mutant.file}:${mutant.line} ${mutant.name}${reach}`);
  }
  for (const name of gone) print(`Listed, but killed or gone: ${name}`);
  return added.length + gone.length > 0 ? EXIT.gate : EXIT.published;
};
