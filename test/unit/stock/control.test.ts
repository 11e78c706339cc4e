import { describe, expect, it } from 'vitest';
import { parseControl } from '../../../src/stock/control.ts';
import { shownMemory } from '../../../src/stock/shown-memory.ts';
import { thrownBy } from '../../support/thrown.ts';

/** The mistakes in the text of a file. */
const mistakesOf = (text: string) => thrownBy(() => parseControl(text, 'vehicles.csv'))?.why;

describe('the file of decisions', () => {
  it('reads every column with any delimiter, order and letter case', () => {
    const text =
      '\r\nOrder;Plate;WITHOUT;first;title;status;hide\r\n1.5;ab12 cde;90017  90018;90019;"Golf; red";SOLD;\r\n;;;;;;\r\n;XY99ZZZ;;;;;Yes\r\n';
    const rows = parseControl(text, 'vehicles.csv');
    expect(Object.fromEntries(rows)).toEqual({
      AB12CDE: {
        plate: 'ab12 cde',
        line: 3,
        status: 'sold',
        title: 'Golf; red',
        first: 90019,
        without: [90017, 90018],
        order: 1.5,
      },
      XY99ZZZ: { plate: 'XY99ZZZ', line: 5, without: [], hide: true },
    });
  });

  it.each([
    ['plate,hide\nAB12CDE,no', 'Line 2, hide: "no" is not allowed, only yes, or empty.'],
    [
      'plate,status\nAB12CDE,sould',
      'Line 2, status: "sould" is not allowed, only available, reserved, sold, or empty. Did you mean sold?',
    ],
    ['plate,title\nAB12CDE,#NAME?', 'Line 2, title: "#NAME?" is not allowed, only a text of'],
    ['plate,first\nAB12CDE,photo 2', 'Line 2, first: "photo 2" is not allowed, only the id of one'],
    ['plate,without\nAB12CDE,"1,2"', 'Line 2, without: "1,2" is not allowed, only ids of pictures'],
    ['plate,order\nAB12CDE,top', 'Line 2, order: "top" is not allowed, only a number'],
    ['plate,hides\nAB12CDE,yes', 'The column "hides" is not known. Did you mean hide?'],
    ['plate,hide,Hide\nAB12CDE,yes,', 'The column "hide" is there twice.'],
    ['registration,hide\nAB12CDE,yes', 'The first line has no column "plate".'],
    ['', 'The first line has no column "plate".'],
    ['plate,hide\n,yes', 'Line 2, plate: "" is not a number plate.'],
    ['plate;hide\n1,8E+308;yes', 'Line 2, plate: "1,8E+308" is not a number plate.'],
    ['plate,hide\n#REF!,yes', 'Line 2, plate: "#REF!" is not a number plate.'],
    ['plate,hide\nAB12CDE,yes\nab12 cde,', 'Line 3, plate: "ab12 cde" is also in line 2.'],
    ['plate,hide\nAB12CDE,yes,sold', 'Line 2 has more cells than the first line: "sold".'],
    ['plate,hide\nAB12CDE,"yes', 'Quote Not Closed'],
  ])('reports line, column, value and allowed values: %j', (text, mistake) => {
    expect(mistakesOf(text)).toContain(mistake);
  });

  it('ignores empty columns at the end, which spreadsheets write', () => {
    const rows = parseControl('plate,hide,,\nAB12CDE,yes,,\n', 'vehicles.csv');
    expect(rows.get('AB12CDE')).toMatchObject({ hide: true });
  });

  it('reports all mistakes at once', () => {
    const text = 'plate,hide,order\nAB12CDE,no,1\nXY99ZZZ,yes,first';
    expect(mistakesOf(text)).toMatch(/Line 2, hide.*, or empty\. Line 3, order/);
    expect(mistakesOf(`plate,hide${'\nAB12CDE,no'.repeat(40)}`)).toMatch(/\. \d+ more\.$/);
  });
});

it('hidden vehicles and pictures are also hidden among withdrawn vehicles and on the live site', () => {
  const control = parseControl('plate,hide,without\nA1,yes,\nA2,,7', 'vehicles.csv');
  const picture = { id: 7, source: 'a-hash' };
  const withdrawn = ['A1', 'A2', 'A3'].map((vrm) => ({ vrm, since: '', picture }));
  const last = { confirmed: '', vehicles: [], withdrawn };
  const live = { state: 'live', vrms: ['A1', 'A2'] } as const;
  const shown = shownMemory({ last, live, notes: [] }, control);
  expect(shown.last?.withdrawn).toEqual([{ vrm: 'A2', since: '' }, withdrawn[2]]);
  expect(shown.live).toEqual({ state: 'live', vrms: ['A2'] });
});
