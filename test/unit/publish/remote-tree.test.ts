import { describe, expect, it } from 'vitest';
import { SecretSearch } from '../../../src/config/secret-search.ts';
import { Tree } from '../../../src/publish/tree/tree.ts';
import { fileHash } from '../../../src/record/files.ts';

const LIST = 'api/records/7.files.json';
const PIECE = 'api/records/7.json';
const row = (key: string) => ({ key, hash: fileHash(key), size: 1, uses: [] });

function open(lost: string[] = []) {
  return new Tree({
    output: '/nowhere',
    rows: new Map([
      ['a/index.html', row('one')],
      ['b/index.html', row('two')],
    ]),
    since: 0,
    search: new SecretSearch([]),
    searched: false,
    remote: {
      pieces: new Map([
        [PIECE, { sum: 'sum', size: 3, hash: 'h' }],
        ['api/records/7-2.json', { sum: 'second', size: 4, hash: 'i' }],
      ]),
      lists: new Map([[LIST, Buffer.from('list')]]),
      lost: new Set(lost),
    },
  });
}

describe('what is published elsewhere', () => {
  it('stays where it was made of the same', () => {
    const tree = open();
    expect(tree.needs({ file: '/a/index.html', key: 'one' })).toBe(false);
    expect(tree.needs({ file: '/b/index.html', key: 'other' })).toBe(true);
    expect(tree.needs({ file: '/c/index.html', key: 'three' })).toBe(true);
    expect(tree.needsRecord(PIECE, 'sum')).toBe(false);
    expect(tree.needsText(LIST, 'list')).toBe(false);
    expect([...tree.kept.keys()]).toEqual(['a/index.html']);
    expect([...tree.remoteRecords()]).toEqual([
      [PIECE, { size: 3, hash: 'h' }],
      [LIST, { size: 4, hash: fileHash('list') }],
    ]);
    expect(tree.gone).toEqual(['api/records/7-2.json']);
    expect([tree.formerHash('b/index.html'), tree.formerHash('c/index.html')]).toEqual([
      fileHash('two'),
      undefined,
    ]);
  });

  it('is made where it says something else', () => {
    const tree = open();
    expect([tree.needsRecord(PIECE, 'other'), tree.needsText(LIST, 'other')]).toEqual([true, true]);
    expect([...tree.madeRecords]).toEqual([PIECE, LIST]);
    expect(tree.gone).toEqual(['a/index.html', 'b/index.html', 'api/records/7-2.json']);
  });

  it('is made again where it is lost', () => {
    const tree = open(['a/index.html', PIECE, LIST]);
    expect(tree.needs({ file: '/a/index.html', key: 'one' })).toBe(true);
    expect(tree.needsRecord(PIECE, 'sum')).toBe(true);
    expect(tree.needsText(LIST, 'list')).toBe(true);
  });
});
