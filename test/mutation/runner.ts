import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type RunnerTask, type RunnerTestCase, type RunnerTestFile, TestRunner, vi } from 'vitest';
import { endDeadline, startDeadline } from './deadline.ts';
import { IS_ACTIVE } from './mutants.ts';
import { type FileRun, FOLDER_VARIABLE, type Round, type Task } from './tasks.ts';

const home = process.env[FOLDER_VARIABLE] ?? '';

/** Runs counted while a mutant is active; of a loop without end it makes an error. */
let active: { id: number; left: number } | undefined;
let hits: Map<number, number> | undefined;

Object.assign(globalThis, {
  [IS_ACTIVE](id: number): boolean {
    hits?.set(id, (hits.get(id) ?? 0) + 1);
    if (!active) return false;
    if (--active.left < 0) throw new Error('This mutant runs without end.');
    return active.id === id;
  },
});

const nameOf = (task: RunnerTask | undefined): string =>
  task?.suite ? `${nameOf(task.suite)} > ${task.name}` : (task?.name ?? '');

/**
 * Runs a test file once for each time that it is given: without a mutant, noting what each test
 * reaches, or with the next of those that are tried with it, and only with the tests that reach it.
 */
export default class MutationRunner extends TestRunner {
  #round: Round | undefined;
  #task: Task | undefined;
  #run: FileRun = { file: '', static: {}, outside: {}, tests: {}, failed: [], ms: 0 };
  #started = 0;
  /** Whether the loaded modules were read with a mutant. */
  #isTouched = true;

  onBeforeCollect(paths: string[]): void {
    const name = readFileSync(path.join(home, 'round'), 'utf8');
    if (this.#round?.name !== name) {
      const text = readFileSync(path.join(home, name, 'round.json'), 'utf8');
      this.#round = JSON.parse(text) as Round;
    }
    const file = path.relative(process.cwd(), paths[0] ?? '').replaceAll('\\', '/');
    this.#run = { file, static: {}, outside: {}, tests: {}, failed: [], ms: 0 };
    this.#task = this.#round.tasks && this.#claim(this.#round, file);
    if (this.#task) startDeadline(this.#results, this.#lineOf(['no end in time']));
    // What a mutant does while modules are read stays in them.
    if (!this.#task || this.#task.isStatic || this.#isTouched) vi.resetModules();
    this.#isTouched = this.#task?.isStatic ?? true;
    this.#started = performance.now();
    active = this.#task && { id: this.#task.mutant, left: this.#task.limit };
    hits = this.#round.tasks ? undefined : new Map();
  }

  /** Two processes may be given the same file at the same time. */
  #claim({ name, tasks = {} }: Round, file: string): Task | undefined {
    const own = tasks[file] ?? [];
    return own.find(({ mutant }) => {
      try {
        writeFileSync(path.join(home, name, `claimed-${mutant}`), '', { flag: 'wx' });
        return true;
      } catch {
        return false;
      }
    });
  }

  #take(): Record<number, number> {
    const taken = Object.fromEntries(hits ?? []);
    hits?.clear();
    return taken;
  }

  onCollected(): void {
    this.#run.static = this.#take();
  }

  #takeOutside(): void {
    for (const [id, count] of Object.entries(this.#take())) {
      this.#run.outside[Number(id)] = (this.#run.outside[Number(id)] ?? 0) + count;
    }
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    const { tests } = this.#task ?? {};
    if (this.#round?.tasks && (!this.#task || this.#run.failed.length > 0)) test.mode = 'skip';
    if (tests && !tests.includes(nameOf(test))) test.mode = 'skip';
    await super.onBeforeRunTask(test);
    this.#takeOutside();
  }

  override onAfterRunTask(test: RunnerTestCase): void {
    super.onAfterRunTask(test);
    if (hits) this.#run.tests[nameOf(test)] = this.#take();
    if (test.result?.state === 'fail') this.#run.failed.push(nameOf(test));
  }

  override onAfterRunFiles(files: RunnerTestFile[]): void {
    super.onAfterRunFiles(files);
    active = undefined;
    this.#takeOutside();
    const run = { ...this.#run, ms: performance.now() - this.#started };
    // What fails outside of tests: imports, or what runs before all of them.
    const [error] = files.flatMap(({ result }) =>
      result?.state === 'fail' ? (result.errors ?? [{ message: 'unknown' }]) : [],
    );
    if (error && run.failed.length === 0) run.failed.push(error.message);
    endDeadline();
    if (this.#task) appendFileSync(this.#results, this.#lineOf(run.failed));
    else if (!this.#round?.tasks) appendFileSync(this.#results, `${JSON.stringify(run)}\n`);
  }

  get #results(): string {
    return path.join(home, this.#round?.name ?? '', `results-${process.pid}`);
  }

  #lineOf(failed: string[]): string {
    return `${JSON.stringify({ mutant: this.#task?.mutant, file: this.#run.file, failed })}\n`;
  }
}
