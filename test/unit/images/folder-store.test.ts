import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderStore } from '../../../src/images/stores/folder-store.ts';

let folder: string;
let store: FolderStore;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'folder-store-'));
  store = new FolderStore(folder);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const text = async (name: string) => Buffer.from((await store.get(name)) ?? '').toString();

describe('FolderStore', () => {
  it('gets, puts, lists and removes, and knows what is not there', async () => {
    expect(await store.get('work/1/a.json')).toBeUndefined();
    expect(await store.has('work/1/a.json')).toBe(false);
    expect(await store.list('work/')).toEqual([]);
    await store.put('work/1/a.json', Buffer.from('a'));
    await store.put('work/1/a/b.json', Buffer.from('b'));
    await store.put('manifests/1.json', Buffer.from('m'));
    expect(await store.has('work/1/a.json')).toBe(true);
    expect((await store.list('work/')).sort()).toEqual(['work/1/a.json', 'work/1/a/b.json']);
    expect(await store.list('work/1/a/')).toEqual(['work/1/a/b.json']);
    await store.remove(['work/1/a.json', 'never/there']);
    expect(await store.list('work/')).toEqual(['work/1/a/b.json']);
    expect(await text('manifests/1.json')).toBe('m');
  });

  it('replaces, unless the name is to be written once', async () => {
    expect(await store.put('a', Buffer.from('one'))).toBe(true);
    expect(await store.put('a', Buffer.from('two'), { once: true })).toBe(false);
    expect(await text('a')).toBe('one');
    expect(await store.put('a', Buffer.from('three'))).toBe(true);
    expect(await text('a')).toBe('three');
    expect(readdirSync(folder)).toEqual(['a']);
  });
});
