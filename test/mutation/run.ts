import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createVitest } from 'vitest/node';
import { type Mutant, withMutants } from './mutants.ts';
import { TESTS } from './targets.ts';
import { type FileRun, FOLDER_VARIABLE, type Round, type Task, type TaskResult } from './tasks.ts';

/** What became of a mutant: the test file that noticed it, or all those that did not. */
export interface Outcome {
  mutant: Mutant;
  killedBy?: string;
  /** Test files that reach it. */
  reachedBy: string[];
}

/** Knows the outcome of a mutant from an earlier run, where nothing changed that it follows from. */
export type Recall = (
  mutant: Mutant,
  reachedBy: readonly string[],
) => { killedBy?: string } | undefined;

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** Mutants for which processes live: what modules that are read anew leave behind adds up. */
const MOST_AT_ONCE = 400;

/** The files of a target, from the root of the project. */
export function filesOf(target: string): string[] {
  const at = path.join(ROOT, target);
  if (statSync(at).isFile()) return [target];
  return readdirSync(at, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .sort()
    .map((name) => path.posix.join(target, name.replaceAll('\\', '/')));
}

function readResults<T>(folder: string): T[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith('results-'))
    .flatMap((name) => readFileSync(path.join(folder, name), 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line) as T);
}

/** Mutants that a process began with. */
function claimsOf(folder: string): Set<number> {
  const names = readdirSync(folder).filter((name) => name.startsWith('claimed-'));
  return new Set(names.map((name) => Number(name.slice('claimed-'.length))));
}

/** Where a mutant is reached, the quickest test file first. */
interface Reach {
  file: string;
  ms: number;
  task: Task;
}

function reachesOf(id: number, runs: readonly FileRun[]): Reach[] {
  const found: Reach[] = [];
  for (const { file, static: imported, outside, tests, ms } of runs) {
    const isWide = id in imported || id in outside;
    const names = Object.keys(tests).filter((name) => id in (tests[name] ?? {}));
    if (!isWide && names.length === 0) continue;
    const all = [imported, outside, ...Object.values(tests)].flatMap((one) => Object.values(one));
    const limit = 100_000 + 100 * all.reduce((sum, count) => sum + count, 0);
    found.push({
      file,
      ms,
      task: { mutant: id, ...(!isWide && { tests: names }), isStatic: id in imported, limit },
    });
  }
  return found.sort((a, b) => a.ms - b.ms);
}

/**
 * Tries all mutants of some files with the unit tests that reach them.
 *
 * @throws a test fails although no mutant is active.
 */
export async function tryMutants(
  files: readonly string[],
  {
    recall,
    progress,
    processes,
  }: { recall: Recall; progress: (text: string) => void; processes: number },
): Promise<Outcome[]> {
  const sources = new Map<string, string>();
  const mutants: Mutant[] = [];
  for (const file of files) {
    const made = withMutants(file, readFileSync(path.join(ROOT, file), 'utf8'), mutants.length);
    mutants.push(...made.mutants);
    sources.set(path.join(ROOT, file), made.text);
  }
  const home = mkdtempSync(path.join(tmpdir(), 'mutation-'));
  const vitest = await createVitest(
    'test',
    {
      config: false,
      root: ROOT,
      include: TESTS,
      watch: false,
      reporters: [{}],
      pool: 'forks',
      isolate: false,
      maxWorkers: processes,
      runner: path.join(import.meta.dirname, 'runner.ts'),
      testTimeout: 20_000,
      teardownTimeout: 1000,
      // A mutant that gathers without end comes to its own end sooner.
      execArgv: ['--max-old-space-size=1024'],
      env: { [FOLDER_VARIABLE]: home },
      onConsoleLog: () => false,
      dangerouslyIgnoreUnhandledErrors: true,
      // Its keys do not know the mutants.
      fsModuleCache: false,
    },
    {
      plugins: [
        {
          name: 'mutants',
          enforce: 'pre',
          transform: (_, id) => sources.get(path.normalize(id.split('?', 1)[0] ?? '')),
        },
      ],
    },
  );
  const project = vitest.getRootProject();
  const run = async <T>(round: Round, testFiles: readonly string[]): Promise<T[]> => {
    const folder = path.join(home, round.name);
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'round.json'), JSON.stringify(round));
    writeFileSync(path.join(home, 'round'), round.name);
    await vitest.runTestSpecifications(
      testFiles.map((file) => project.createSpecification(path.join(ROOT, file))),
    );
    return readResults<T>(folder);
  };
  try {
    const found = await vitest.globTestSpecifications();
    const testFiles = found.map(({ moduleId }) =>
      path.relative(ROOT, moduleId).replaceAll('\\', '/'),
    );
    const runs = await run<FileRun>({ name: 'plain' }, testFiles);
    const broken = runs.filter(({ failed }) => failed.length > 0);
    if (broken.length > 0 || runs.length < testFiles.length) {
      throw new Error(
        `These tests fail without any mutant: ${broken.flatMap(({ file, failed }) => [file, ...failed]).join('\n')}`,
      );
    }
    const outcomes = mutants.map((mutant): Outcome & { reaches: Reach[] } => {
      const reaches = reachesOf(mutant.id, runs);
      const reachedBy = reaches.map(({ file }) => file);
      const known = recall(mutant, reachedBy);
      return { mutant, reaches: known ? [] : reaches, reachedBy, ...known };
    });
    // Each is tried with one file after the other, until a test of it fails.
    const crashed = new Set<Outcome>();
    const open = new Set(outcomes.filter(({ reaches }) => reaches.length > 0));
    for (let number = 1; open.size > 0; number++) {
      progress(`${open.size} of ${outcomes.length} mutants left.`);
      const tasks: Record<string, Task[]> = {};
      const given = [...open].slice(0, MOST_AT_ONCE);
      for (const { reaches } of given) {
        const [next] = reaches;
        if (next) tasks[next.file] = [...(tasks[next.file] ?? []), next.task];
      }
      const all = Object.entries(tasks).flatMap(([file, own]) => own.map(() => file));
      const results = await run<TaskResult>({ name: `round-${number}`, tasks }, all);
      const failures = new Map(results.map(({ mutant, failed }) => [mutant, failed.length > 0]));
      const claimed = claimsOf(path.join(home, `round-${number}`));
      if (claimed.size === 0) throw new Error('No process of the tests could be started.');
      for (const outcome of given) {
        // What its process was to try before may have ended the process.
        if (!claimed.has(outcome.mutant.id)) continue;
        const hasFailed = failures.get(outcome.mutant.id);
        // A process that came to its end is tried once more: another mutant may be why.
        if (hasFailed === undefined && !crashed.has(outcome)) crashed.add(outcome);
        else {
          const tried = outcome.reaches.shift();
          if (hasFailed !== false) outcome.killedBy = tried?.file;
        }
        if (outcome.killedBy !== undefined || outcome.reaches.length === 0) open.delete(outcome);
      }
    }
    return outcomes.map(({ mutant, reachedBy, killedBy }) => {
      return { mutant, reachedBy, ...(killedBy !== undefined && { killedBy }) };
    });
  } finally {
    await vitest.close();
    rmSync(home, { recursive: true, force: true });
  }
}
