import { describe, expect, it } from 'vitest';
import { SecretSearch } from '../../../src/config/secret-search.ts';
import { SiteDiff } from '../../../src/publish/site-diff/site-diff.ts';
import { fileHash } from '../../../src/record/files.ts';

const LIST = 'api/records/7.files.json';
const PIECE = 'api/records/7.json';
const row = (key: string) => ({ key, hash: fileHash(key), size: 1, uses: [] });

function open(lost: string[] = []) {
  return new SiteDiff({
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
    const diff = open();
    expect(diff.mustMake({ file: '/a/index.html', key: 'one' })).toBe(false);
    expect(diff.mustMake({ file: '/b/index.html', key: 'other' })).toBe(true);
    expect(diff.mustMake({ file: '/c/index.html', key: 'three' })).toBe(true);
    expect(diff.mustMakeRecord(PIECE, 'sum')).toBe(false);
    expect(diff.mustMakeText(LIST, 'list')).toBe(false);
    expect([...diff.kept.keys()]).toEqual(['a/index.html']);
    expect([...diff.remoteRecords()]).toEqual([
      [PIECE, { size: 3, hash: 'h' }],
      [LIST, { size: 4, hash: fileHash('list') }],
    ]);
    expect(diff.gone).toEqual(['api/records/7-2.json']);
    expect([diff.formerHash('b/index.html'), diff.formerHash('c/index.html')]).toEqual([
      fileHash('two'),
      undefined,
    ]);
  });

  it('is made where it says something else', () => {
    const diff = open();
    expect([diff.mustMakeRecord(PIECE, 'other'), diff.mustMakeText(LIST, 'other')]).toEqual([
      true,
      true,
    ]);
    expect([...diff.madeRecords]).toEqual([PIECE, LIST]);
    expect(diff.gone).toEqual(['a/index.html', 'b/index.html', 'api/records/7-2.json']);
  });

  it('is made again where it is lost', () => {
    const diff = open(['a/index.html', PIECE, LIST]);
    expect(diff.mustMake({ file: '/a/index.html', key: 'one' })).toBe(true);
    expect(diff.mustMakeRecord(PIECE, 'sum')).toBe(true);
    expect(diff.mustMakeText(LIST, 'list')).toBe(true);
  });
});
