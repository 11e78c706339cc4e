import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take longest, for their size or not: what starts last ends alone. */
const LONGEST = [
  'integration/time-limit',
  'browser/viewer-gestures',
  'browser/pages',
  'integration/outcomes',
  'browser/demo',
  'browser/viewer',
  'hostile/decoder-process',
  'browser/attack',
  'integration/thin',
  'integration/chunks-of-dealers',
  'integration/new-machine',
  'integration/shared-cache',
  'integration/deploy/overlooked-site',
  'integration/unusable',
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
