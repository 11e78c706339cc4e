import { describe, expect, it } from 'vitest';
import type { Outcome, PictureTask } from '../../../src/images/process/tasks.ts';
import {
  jobName,
  jobSchema,
  resultSchema,
  toJob,
  toTasks,
} from '../../../src/images/queue/jobs.ts';
import { recipeBook } from '../../../src/images/recipe-book.ts';
import { outputNames } from '../../../src/images/recipes.ts';
import type { SourceEntry } from '../../../src/record/pictures.ts';
import { mediaConfig } from '../../support/image-pipeline.ts';

const book = recipeBook(mediaConfig());
const recipes = book.picture;
const hash = '0123456789abcdef0123';
const content = {
  width: 1600,
  height: 1200,
  colour: '808080',
  outputs: { '-64-aaaaaa.jpg': `1-${'a'.repeat(27)}` },
};
const entry: SourceEntry = { validator: '"a"', vehicleDate: 'x', hash };
const task: PictureTask = {
  source: {
    key: '1/2 AAAAAAAAAAA',
    url: 'https://p.example/a.jpg',
    vehicle: 'ab1',
    vehicleDate: 'y',
    recipes,
  },
  entry,
  content,
  step: { kind: 'revalidate', because: 'due' },
};
const names = outputNames({ hash, ...content }, recipes);

/** Converts a value like the queue does. */
const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('a job', () => {
  const job = toJob('1', 'ab1', [task, task], new Set(names.slice(1)));

  it('contains the tasks of a vehicle, with their recipes once', () => {
    expect(job.recipes).toHaveLength(1);
    const data = jobSchema.parse(sent(job));
    expect(data.items[0]?.have).toEqual(names.slice(1));
    expect(toTasks(data)).toEqual([task, task]);
  });

  it('contains recipes of every kind', () => {
    const wide = recipeBook(mediaConfig({ viewerWidths: [2560], fallback: 'all' })).cover;
    const other = { ...task, source: { ...task.source, recipes: wide } };
    const data = jobSchema.parse(sent(toJob('1', 'ab1', [other], new Set())));
    expect(toTasks(data)).toEqual([other]);
  });

  it('is refused if its version or form is different', () => {
    for (const wrong of [
      { version: 0 },
      { dealer: '../1' },
      { vehicle: 'a/b' },
      { skip: [-1] },
      { recipes: [[{ ...recipes[0], format: 'gif' }]] },
      { items: [{ ...job.items[0], have: ['../../etc/passwd'] }] },
    ]) {
      expect(jobSchema.safeParse({ ...job, ...wrong }).success).toBe(false);
    }
  });

  it('has the same name only for the same tasks', () => {
    const again = toJob('1', 'ab1', [task, task], new Set(names.slice(1)));
    expect(jobName(again)).toBe(jobName(job));
    const others = [toJob('2', 'ab1', [task], new Set()), toJob('1', 'ab2', [task], new Set())];
    expect(new Set([job, ...others].map(jobName)).size).toBe(3);
    // BullMQ refuses colons in names.
    expect(jobName(job)).toMatch(/^1-ab1-[0-9a-f]{16}$/);
  });
});

describe('a result', () => {
  const outcome: Outcome = {
    ok: true,
    entry,
    content,
    revalidated: false,
    downloadedBytes: 9,
    newOutputs: [{ name: names[0] ?? '', bytes: 3 }],
  };
  const read = (row: unknown) =>
    resultSchema.safeParse(sent({ version: 1, outcomes: [row] })).data?.outcomes;

  it('is decoded to the same outcome', () => {
    expect(read({ ...outcome, key: task.source.key })).toEqual([
      { ...outcome, key: task.source.key },
    ]);
  });

  it('is refused if it names files of other folders', () => {
    const newOutputs = [{ name: '../../etc/passwd', bytes: 1 }];
    const row = { ...outcome, key: task.source.key, newOutputs };
    expect(read(row)).toBeUndefined();
  });
});
