import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import type { PictureTask } from '../../../src/images/process/tasks.ts';
import { reportErrors } from '../../../src/images/queue/connection.ts';
import { jobSchema, resultSchema, toJob, toTasks } from '../../../src/images/queue/jobs.ts';
import { recipeBook } from '../../../src/images/recipe-book.ts';
import { outputNames } from '../../../src/images/recipes.ts';
import type { SourceEntry } from '../../../src/record/pictures.ts';
import { mediaConfig } from '../../support/image-pipeline.ts';

const recipes = recipeBook(mediaConfig()).picture;
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

describe('a job', () => {
  const { cover: all } = recipeBook(mediaConfig({ viewerWidths: [2560], fallback: 'all' }));
  const cover = { ...task, source: { ...task.source, recipes: all } };
  const job = toJob('1', 'ab1', [task, task, cover], new Set(names.slice(1)));

  it('contains the tasks of a vehicle, with their recipes of every kind once', () => {
    expect(job.recipes).toHaveLength(2);
    const data = jobSchema.parse(JSON.parse(JSON.stringify(job)));
    expect(data.items[0]?.have).toEqual(names.slice(1));
    expect(toTasks(data)).toEqual([task, task, cover]);
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
});

it('a result is refused if it names files of other folders', () => {
  const newOutputs = [{ name: '../../etc/passwd', bytes: 1 }];
  const outcome = { ok: true, key: task.source.key, entry, content, revalidated: false };
  const read = (row: object) => resultSchema.safeParse({ version: 1, outcomes: [row] }).success;
  expect(read({ ...outcome, newOutputs: [] })).toBe(true);
  expect(read({ ...outcome, newOutputs })).toBe(false);
});

it('reports each error of a connection at most once a minute, also if two alternate', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const connection = new EventEmitter();
  const lines: string[] = [];
  const lastError = reportErrors(connection, (line) => lines.push(line));
  const fail = () => {
    for (const text of ['reset', 'closed']) connection.emit('error', new Error(text));
  };
  fail();
  fail();
  expect(lines).toEqual(['Queue: reset', 'Queue: closed']);
  expect(lastError()).toBe(' Last error: closed');
  vi.setSystemTime(Date.now() + 60_000);
  fail();
  expect(lines).toHaveLength(4);
  vi.useRealTimers();
});
