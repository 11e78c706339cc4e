/** Bodies of GetMediaByDealer. What must happen is written as what the parser says. */

export interface ShapeCase {
  name: string;
  /** JSON text of one element of the answer. */
  json: string;
  /** Code of the quarantined record or item; undefined: accepted whole. */
  code: string | undefined;
  /** Whether an item was set aside rather than the record. */
  item?: boolean;
}

const item = (change: string) =>
  `{"vrm":"A","dateUpdated":"2026-01-01T00:00:00Z","mediaList":[{"id":1,"type":"Image","label":"1","mediaUrl":"https://a.example/1.jpg"${change}}]}`;
const record = (change: string) =>
  `{"vrm":"A","dateUpdated":"2026-01-01T00:00:00Z","mediaList":[]${change}}`;
const wrongItem = (name: string, change: string, code: string): ShapeCase => ({
  name,
  json: item(change),
  code,
  item: true,
});
const wrong = (name: string, json: string, code = 'contract-invalid_type'): ShapeCase => ({
  name,
  json,
  code,
});
const fine = (name: string, json: string): ShapeCase => ({ name, json, code: undefined });

export const SHAPES: ShapeCase[] = [
  fine('a record', record('')),
  fine('a record with an item', item('')),
  fine(
    'prototype keys',
    record(',"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}'),
  ),
  fine(
    'prototype keys in an item',
    item(',"__proto__":{"polluted":true},"toString":1,"hasOwnProperty":1'),
  ),
  fine('a key twice', '{"vrm":"A","vrm":"B","dateUpdated":"2026-01-01T00:00:00Z","mediaList":[]}'),
  fine(
    'a hundred unknown fields',
    record(`,${Array.from({ length: 100 }, (_, n) => `"x${n}":${n}`).join()}`),
  ),
  fine(
    'ten thousand unknown fields',
    record(`,${Array.from({ length: 10_000 }, (_, n) => `"x${n}":${n}`).join()}`),
  ),
  fine('an unknown field with an endless name', record(`,"${'x'.repeat(100_000)}":1`)),
  fine('a number that is no number', record(',"x":1e999')),
  fine('hosted fields that are null', item(',"hostedVideoUrl":null,"hostedVideoEmbedHtml":null')),
  fine('the latest moment', record(',"dateUpdated":"9999-12-31T23:59:59Z"')),
  wrong('null', 'null'),
  wrong('a number', '1'),
  wrong('a text', '"x"'),
  wrong('a list', '[]'),
  wrong('true', 'true'),
  wrong('an empty object', '{}'),
  wrong('a plate that is a number', record(',"vrm":1')),
  wrong('a plate that is an object', record(',"vrm":{"toString":"x"}')),
  wrong('a plate that is null', record(',"vrm":null')),
  wrong('an endless plate', record(`,"vrm":"${'A'.repeat(1001)}"`), 'contract-too_big'),
  wrong('no list of media', record(',"mediaList":null')),
  wrong('a list that is an object', record(',"mediaList":{"length":3}')),
  wrong(
    'a flood of media',
    record(`,"mediaList":[${Array(1001).fill('{}').join()}]`),
    'contract-too_big',
  ),
  wrong('a date in words', record(',"dateUpdated":"yesterday"'), 'contract-invalid_format'),
  wrong(
    'a date that does not exist',
    record(',"dateUpdated":"2026-02-30T00:00:00Z"'),
    'contract-invalid_format',
  ),
  wrong(
    'a leap second',
    record(',"dateUpdated":"2016-12-31T23:59:60Z"'),
    'contract-invalid_format',
  ),
  wrong(
    'a year that UTC cannot write',
    record(',"dateUpdated":"9999-12-31T23:59:59-23:59"'),
    'contract-custom',
  ),
  wrong(
    'a year before the first',
    record(',"dateUpdated":"0000-01-01T00:00:00+23:59"'),
    'contract-custom',
  ),
  wrong(
    'a date of any length',
    record(`,"dateUpdated":"2026-01-01T00:00:00.${'1'.repeat(50)}"`),
    'contract-invalid_format',
  ),
  wrongItem('an id that is a text', ',"id":"1"', 'contract-invalid_type'),
  wrongItem('an id that is no whole number', ',"id":1.5', 'contract-invalid_type'),
  wrongItem('an id beyond what numbers hold', ',"id":9007199254740993', 'contract-too_big'),
  wrongItem('a type that is a list', ',"type":["Image"]', 'contract-invalid_type'),
  wrongItem('a label that is an object', ',"label":{}', 'contract-invalid_type'),
  wrongItem('an endless label', `,"label":"${'x'.repeat(1001)}"`, 'contract-too_big'),
  wrongItem('an address that is null', ',"mediaUrl":null', 'contract-invalid_type'),
  wrongItem(
    'an endless address',
    `,"mediaUrl":"https://a.example/${'x'.repeat(5000)}"`,
    'contract-too_big',
  ),
  wrongItem(
    'a snippet that is a list',
    ',"hostedVideoEmbedHtml":["<iframe>"]',
    'contract-invalid_type',
  ),
];
