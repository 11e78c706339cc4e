/** Environment variable that names the folder in which processes of a run meet. */
export const FOLDER_VARIABLE = 'MUTATION_FOLDER';

/** A mutant to be tried with one test file. */
export interface Task {
  mutant: number;
  /** Names of the tests that reach it; absent: all of the file. */
  tests?: string[];
  /** It acts while modules are read. */
  isStatic: boolean;
  /** Mutants that may be met before it is taken for a loop without end. */
  limit: number;
}

/** What the files of one run are given. */
export interface Round {
  name: string;
  /** By test file; absent: no mutant is active, and what tests reach is noted. */
  tasks?: Record<string, Task[]>;
}

type Hits = Record<number, number>;

/** What a test file reached without a mutant: how often, by the mutant's id. */
export interface FileRun {
  file: string;
  /** While its imports were read. */
  static: Hits;
  /** Outside its tests, in what runs before or after all of them. */
  outside: Hits;
  tests: Record<string, Hits>;
  failed: string[];
  ms: number;
}

export interface TaskResult {
  mutant: number;
  file: string;
  /** Names of tests that failed. */
  failed: string[];
}
