import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Slow test files. A slow file that starts last runs by itself at the end. */
const LONGEST = [
  'builds/time-limit',
  'builds/outcomes',
  'builds/thin',
  'builds/new-machine',
  'builds/init-project',
  'builds/build',
  'builds/commands',
  'builds/chunks-of-dealers',
  'browser/large-list',
  'browser/attack',
  'browser/pages',
  'browser/filters',
  'browser/viewer',
  'hostile/decoder-process',
  'proofs/incremental',
  'proofs/docs-commands',
  'proofs/odd-sites',
  'proofs/publish-kill',
  'proofs/benchmarks',
  'proofs/recipes',
  'first-day/github',
  'first-day/gitlab',
  'first-day/hosts',
  'package/new',
].map((name) => `/test/${name}.test.ts`);

/**
 * Starts slow files first. Vitest orders them by earlier runs, but a fresh clone has none, and the file size
 * is a poor estimate.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) =>
      LONGEST.some((end) => moduleId.endsWith(end));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
