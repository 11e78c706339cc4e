import { expect, it } from 'vitest';
import { type PictureTask, TimeLimit } from '../../../src/images/process/tasks.ts';

const task = (vehicle: string, because: 'new' | 'due' = 'new') =>
  ({ source: { key: '7/1 x', vehicle }, step: { because } }) as PictureTask;

it('after its time, a build finishes the vehicle that it started, and at least one', () => {
  const limit = new TimeLimit(0);
  expect(limit.mayBegin(task('ab1', 'due'))).toBe(false);
  expect(limit.mayBegin(task('ab1'))).toBe(true);
  expect(limit.mayBegin(task('cd2'))).toBe(false);
  expect(limit.mayBegin(task('ab1'))).toBe(true);
});
