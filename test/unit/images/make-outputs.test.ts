import { describe, expect, it } from 'vitest';
import type { EncodeJob, EncodeOutcome } from '../../../src/images/encode/pool.ts';
import { Maker } from '../../../src/images/process/make-outputs.ts';
import { outputNames, recipeBook } from '../../../src/images/recipes.ts';
import type { ContentEntry } from '../../../src/record/pictures.ts';
import { mediaConfig } from '../../support/media-line.ts';

const book = recipeBook(mediaConfig());
const picture = book.picture;
const cover = book.cover;
const size = { width: 1600, height: 900 };
const hash = '0123456789abcdef0123';
const arrived = { hash, file: 'incoming' };

function makerWith(outcome?: EncodeOutcome) {
  const jobs: EncodeJob[] = [];
  const existing = new Set<string>();
  const contents = new Map<string, ContentEntry>();
  const encode = async (job: EncodeJob): Promise<EncodeOutcome> => {
    jobs.push(job);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const content = { hash: job.hash, ...size };
    const made = outputNames(content, job.recipes)
      .filter((name) => !existing.has(name))
      .map((name) => ({ name, bytes: 1, fingerprint: '1-1' }));
    return outcome ?? { ok: true, content, colour: '808080', made };
  };
  const encoder = async () => ({ encode });
  return { jobs, existing, maker: new Maker({ encoder, existing, contents, maxPixels: 1e7 }) };
}

describe('Maker', () => {
  it('makes equal bytes once, also while they are being made', async () => {
    const { jobs, maker } = makerWith();
    const results = await Promise.all([1, 2, 3].map(() => maker.make(arrived, picture)));
    await maker.make(arrived, picture);
    expect(jobs).toHaveLength(1);
    expect(results.map((result) => result.ok && result.made.length)).toEqual([
      picture.length,
      0,
      0,
    ]);
  });

  it('adds what a cover needs to what a picture has', async () => {
    const { jobs, existing, maker } = makerWith();
    const [, second] = await Promise.all([
      maker.make(arrived, picture),
      maker.make(arrived, cover),
    ]);
    expect(jobs).toHaveLength(2);
    expect(second.ok && second.made.length).toBe(cover.length - picture.length);
    expect([...existing].sort()).toEqual(outputNames({ hash, ...size }, cover).sort());
  });

  it('makes other bytes at the same time', async () => {
    const { jobs, maker } = makerWith();
    const other = { ...arrived, hash: 'ffffffffffffffffffff' };
    await Promise.all([maker.make(arrived, picture), maker.make(other, picture)]);
    expect(jobs.map((job) => job.hash)).toEqual([hash, other.hash]);
  });

  it('remembers nothing of bytes that cannot be used', async () => {
    const { jobs, existing, maker } = makerWith({ ok: false, code: 'picture-format', message: '' });
    expect(await maker.make(arrived, picture)).toMatchObject({ code: 'picture-format' });
    expect(await maker.make(arrived, picture)).toMatchObject({ code: 'picture-format' });
    expect(jobs).toHaveLength(2);
    expect(existing.size).toBe(0);
  });
});
