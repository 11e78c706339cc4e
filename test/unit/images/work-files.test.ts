import { describe, expect, it } from 'vitest';
import type { Outcome, PictureTask } from '../../../src/images/ports.ts';
import { outputNames, recipeBook } from '../../../src/images/recipes.ts';
import {
  fromBytes,
  jobSchema,
  planFileSchema,
  resultFileSchema,
  resultName,
  toBytes,
  toPlanFile,
  toResult,
  toWork,
} from '../../../src/images/stores/work-files.ts';
import type { SourceEntry } from '../../../src/record/pictures.ts';
import { mediaConfig } from '../../support/media-line.ts';

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
const work: PictureTask = {
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

describe('a plan', () => {
  it('comes back from its bytes as the work that it was, with the recipes once', () => {
    const file = toPlanFile([work, work], new Set(names.slice(1)));
    expect(file.recipes).toHaveLength(1);
    const plan = fromBytes(planFileSchema, toBytes(file));
    expect(plan?.vehicles.ab1).toHaveLength(2);
    const [item] = plan?.vehicles.ab1 ?? [];
    expect(item?.have).toEqual(names.slice(1));
    expect(item && toWork(item, plan?.recipes[0] ?? [], 'ab1')).toEqual(work);
  });

  it('is none where it is torn, or not in its form', () => {
    const bytes = toBytes({ version: 5, recipes: [], vehicles: {} });
    expect(fromBytes(planFileSchema, bytes)).toBeDefined();
    expect(fromBytes(planFileSchema, bytes.subarray(0, 9))).toBeUndefined();
    expect(fromBytes(planFileSchema, Buffer.from('{"version":4}'))).toBeUndefined();
    const climbing = { version: 5, recipes: [], vehicles: { '../../x': [] } };
    expect(fromBytes(planFileSchema, Buffer.from(JSON.stringify(climbing)))).toBeUndefined();
  });
});

describe('a result', () => {
  const outcome: Outcome = {
    ok: true,
    ...{ entry, content, revalidated: false, downloadedBytes: 9 },
    made: [{ name: names[0] ?? '', bytes: 3 }],
  };

  it('comes back as the outcome that it was, and names all outputs', () => {
    const row = toResult(work, outcome);
    const file = fromBytes(resultFileSchema, toBytes({ version: 4, worker: 'w', outcomes: [row] }));
    const [read] = file?.outcomes ?? [];
    expect(read?.ok && read.outputs).toEqual(names);
    expect(read).toMatchObject(outcome);
  });

  it('is not believed where it names files of other places', () => {
    const row = toResult(work, { ...outcome, made: [{ name: '../../etc/passwd', bytes: 1 }] });
    const bytes = toBytes({ version: 4, worker: 'w', outcomes: [row] });
    expect(fromBytes(resultFileSchema, bytes)).toBeUndefined();
  });
});

describe('a job', () => {
  const job = { dealer: '1', plan: '0123456789abcdef', vehicle: 'ab1', skip: [] };

  it('is names alone, of which none can leave the store', () => {
    expect(jobSchema.safeParse(job).success).toBe(true);
    expect(resultName(job)).toBe('work/1/0123456789abcdef/ab1.json');
    for (const wrong of [
      { dealer: '../1' },
      { plan: 'x' },
      { vehicle: 'a/b' },
      { url: 'http://x' },
    ]) {
      expect(jobSchema.safeParse({ ...job, ...wrong }).success).toBe(false);
    }
  });
});
