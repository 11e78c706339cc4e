import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take longest, for their size or not: what starts last ends alone. */
const LONGEST = [
  'builds/time-limit',
  'builds/outcomes',
  'builds/thin',
  'builds/new-machine',
  'builds/init-project',
  'builds/build',
  'builds/commands',
  'builds/chunks-of-dealers',
  'browser/viewer-gestures',
  'browser/header',
  'browser/pages',
  'browser/filters',
  'browser/viewer',
  'hostile/decoder-process',
].map((name) => `/test/${name}.test.ts`);

/**
 * Starts what takes longest first. Vitest does so by what former runs took. A fresh clone knows of none, and
 * the size of a file says little.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) =>
      LONGEST.some((end) => moduleId.endsWith(end));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
