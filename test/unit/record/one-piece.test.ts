import { expect, it } from 'vitest';
import { writeRecord } from '../../../src/record/file.ts';
import { recordOf } from '../../support/dealer-records.ts';

it('a record of one piece names no others', () => {
  const pieces = writeRecord(recordOf('A')).pieces.map(({ text }) => JSON.parse(text) as object);
  expect(pieces.map((piece) => Object.keys(piece))).toEqual([
    ['version', 'dealer', 'piece', 'lines', 'sum'],
  ]);
});
