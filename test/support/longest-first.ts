import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take longest, for their size or not: what starts last ends alone. */
const LONGEST = [
  'browser/demo',
  'browser/pages',
  'integration/open-files',
  'integration/init',
  'integration/umask',
  'integration/outcomes',
  'integration/before-install',
  'browser/viewer',
  'integration/chunks-of-dealers',
  'integration/new-machine',
  'integration/broken-pipe',
  'integration/worker-processes',
  'integration/thin',
  'integration/unusable',
].map((name) => `/test/${name}.test.ts`);

/**
 * Starts what takes longest first. Vitest does so by what former runs took; a fresh clone knows of none, and
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
