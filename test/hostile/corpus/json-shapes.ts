/** Bodies of GetMediaByDealer with the expected result of the parser. */

const item = (change: string) =>
  `{"vrm":"A","dateUpdated":"2026-01-01T00:00:00Z","mediaList":[{"id":1,"type":"Image","label":"1","mediaUrl":"https://a.example/1.jpg"${change}}]}`;
const record = (change: string) =>
  `{"vrm":"A","dateUpdated":"2026-01-01T00:00:00Z","mediaList":[]${change}}`;

/** JSON texts of elements that are accepted completely. */
const FINE: Record<string, string> = {
  'a record': record(''),
  'a record with an item': item(''),
  'prototype keys': record(
    ',"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}',
  ),
  'prototype keys in an item': item(
    ',"__proto__":{"polluted":true},"toString":1,"hasOwnProperty":1',
  ),
  'a key twice': '{"vrm":"A","vrm":"B","dateUpdated":"2026-01-01T00:00:00Z","mediaList":[]}',
  'a hundred unknown fields': record(
    `,${Array.from({ length: 100 }, (_, n) => `"x${n}":${n}`).join()}`,
  ),
  'ten thousand unknown fields': record(
    `,${Array.from({ length: 10_000 }, (_, n) => `"x${n}":${n}`).join()}`,
  ),
  'an unknown field with an endless name': record(`,"${'x'.repeat(100_000)}":1`),
  'an invalid number': record(',"x":1e999'),
  'hosted fields that are null': item(',"hostedVideoUrl":null,"hostedVideoEmbedHtml":null'),
  'the latest moment': record(',"dateUpdated":"9999-12-31T23:59:59Z"'),
};

/** JSON texts of quarantined elements, by code. */
const WRONG: Record<string, Record<string, string>> = {
  'contract-invalid_type': {
    null: 'null',
    'a number': '1',
    'a text': '"x"',
    'a list': '[]',
    true: 'true',
    'an empty object': '{}',
    'a plate that is a number': record(',"vrm":1'),
    'a plate that is an object': record(',"vrm":{"toString":"x"}'),
    'a plate that is null': record(',"vrm":null'),
    'no list of media': record(',"mediaList":null'),
    'a list that is an object': record(',"mediaList":{"length":3}'),
  },
  'contract-too_big': {
    'an endless plate': record(`,"vrm":"${'A'.repeat(1001)}"`),
    'a flood of media': record(`,"mediaList":[${Array(1001).fill('{}').join()}]`),
  },
  'contract-invalid_format': {
    'a date in words': record(',"dateUpdated":"yesterday"'),
    'a date that does not exist': record(',"dateUpdated":"2026-02-30T00:00:00Z"'),
    'a leap second': record(',"dateUpdated":"2016-12-31T23:59:60Z"'),
    'a date of any length': record(`,"dateUpdated":"2026-01-01T00:00:00.${'1'.repeat(50)}"`),
  },
  'contract-custom': {
    'a year that UTC cannot write': record(',"dateUpdated":"9999-12-31T23:59:59-23:59"'),
    'a year before the first': record(',"dateUpdated":"0000-01-01T00:00:00+23:59"'),
  },
};

/** Changes that quarantine only one item, by code. */
const WRONG_ITEMS: Record<string, Record<string, string>> = {
  'contract-invalid_type': {
    'an id that is a text': ',"id":"1"',
    'an id that has no text': ',"id":[{"toString":1}]',
    'a fractional id': ',"id":1.5',
    'a type that is a list': ',"type":["Image"]',
    'a label that is an object': ',"label":{}',
    'an address that is null': ',"mediaUrl":null',
    'a snippet that is a list': ',"hostedVideoEmbedHtml":["<iframe>"]',
  },
  'contract-too_big': {
    'an id beyond safe integers': ',"id":9007199254740993',
    'an endless label': `,"label":"${'x'.repeat(1001)}"`,
    'an endless address': `,"mediaUrl":"https://a.example/${'x'.repeat(5000)}"`,
  },
};

const byCode = (all: Record<string, Record<string, string>>) =>
  Object.entries(all).flatMap(([code, texts]) =>
    Object.entries(texts).map(([name, json]) => ({ name, json, code })),
  );

export const SHAPES: { name: string; json: string; code?: string; isItem?: boolean }[] = [
  ...Object.entries(FINE).map(([name, json]) => ({ name, json })),
  ...byCode(WRONG),
  ...byCode(WRONG_ITEMS).map(({ json, ...rest }) => ({ ...rest, json: item(json), isItem: true })),
];
