import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Source } from '../../../src/media/plan.ts';
import { readList } from '../../../src/media/published/list-file.ts';
import { type ListsInput, makeLists } from '../../../src/media/published/make-lists.ts';
import { outputNames, recipeBook, recipesFor } from '../../../src/media/recipes.ts';
import { mediaConfig } from '../../support/media-line.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'make-lists-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const recipes = recipesFor(recipeBook(mediaConfig()), 'picture');
const content = { width: 1600, height: 1200, colour: '808080' };
const HASH = '0123456789abcdef0123';
const names = outputNames({ hash: HASH, ...content }, recipes).sort();

/** Vehicles with one picture each, of the same bytes. */
const sources = (count: number): Source[] =>
  Array.from({ length: count }, (_, number) => ({
    key: `1/${number} https://p.example/${number}.jpg`,
    vehicle: `v${number}`,
    vehicleDate: '2026-03-01T00:00:00Z',
    recipes,
  }));

const input = (count: number): ListsInput => ({
  sources: sources(count),
  shown: (key) => ({
    key,
    entry: {
      etag: '"e"',
      lastModified: undefined,
      vehicleDate: '2026-03-01T00:00:00Z',
      checkedAt: 1,
      hash: HASH,
    },
    content,
  }),
  failed: new Set(),
  revalidateAfter: 1000,
  files: path.join(root, 'files'),
  memory: path.join(root, 'memory'),
  hashes: new Map(),
  otherDealers: new Set(),
});

/** Writes the thumbnails, each of its own size. */
function write(size: (index: number) => number): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  mkdirSync(path.join(root, 'files', HASH.slice(0, 2)), { recursive: true });
  for (const [index, name] of names.entries()) {
    const bytes = Buffer.alloc(size(index), `${index}.`);
    writeFileSync(path.join(root, 'files', name), bytes);
    files.set(name, bytes);
  }
  return files;
}

async function hashInList(): Promise<string | undefined> {
  const [file] = await makeLists(input(1));
  const list = readList(Buffer.from(file?.content() ?? []).toString());
  if (typeof list === 'string') throw new Error(list);
  return list.vehicles[0]?.[1][0]?.[6];
}

describe('makeLists', () => {
  it('hashes names and bytes of thumbnails of all sizes', async () => {
    // Growing and shrinking, none and much: nothing of one may stand in for another.
    const sizes = [40_000, 0, 1_500_000, 3, 262_144, 600_000];
    const files = write((index) => sizes[index % sizes.length] ?? 1);
    const expected = createHash('sha256');
    for (const name of names) {
      const bytes = files.get(name) ?? Buffer.alloc(0);
      expected.update(`${name} ${createHash('sha256').update(bytes).digest('hex')}\n`);
    }
    expect(names.length).toBeGreaterThan(2);
    expect(await hashInList()).toBe(expected.digest('base64url').slice(0, 16));
  });

  it('leaves the hash out where a thumbnail is missing, and looks again next time', async () => {
    write(() => 10);
    const hash = await hashInList();
    rmSync(path.join(root, 'memory'), { recursive: true });
    rmSync(path.join(root, 'files', names[1] ?? ''));
    expect(await hashInList()).toBe('');
    write(() => 10);
    expect(await hashInList()).toBe(hash);
    expect(hash).toMatch(/^[\w-]{16}$/);
  });

  it('lets others have their turn, and can be ended', async () => {
    write(() => 2_000_000);
    const end = new AbortController();
    let turns = 0;
    const timer = setInterval(() => {
      turns++;
      end.abort(new Error('enough'));
    }, 1);
    await expect(makeLists({ ...input(100), signal: end.signal })).rejects.toThrow('enough');
    clearInterval(timer);
    expect(turns).toBeLessThan(20);
    expect(await makeLists(input(2))).toHaveLength(1);
  });
});
