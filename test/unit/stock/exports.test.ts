/** Faults of real exports. */
import { expect, it } from 'vitest';
import { parseList } from '../../support/stock-list.ts';

it.each([
  'plate,price\r\nA1,9000\nA2,"9500"\n',
  'plate,price\nA1,9000\r\nA2,9500\r\n',
  'plate,price\rA1,9000\rA2,9500\r',
  'plate,price\r\r\nA1,9000\r\r\nA2,9500\r\r\n',
])('reads rows whose line breaks differ from the heading: %j', (text) => {
  expect(parseList(text)).toMatchObject({ rows: 2, prices: 2, problems: [] });
});

it('finds the vehicles in JSON with other lists', () => {
  const text = JSON.stringify({ errors: [], columns: ['plate'], vehicles: [{ plate: 'A1' }] });
  expect(parseList(text).rows).toBe(1);
});

it('names the line and the remedy of a quotation mark that spoils the file', () => {
  expect(() => parseList('plate,variant\nA1,"GTI 18" alloys"\n')).toThrow(
    expect.objectContaining({
      code: 'stock-file-invalid',
      why: expect.stringContaining('at line 2'),
      fix: expect.stringContaining('write a quotation mark within a quoted cell twice.'),
    }),
  );
});
