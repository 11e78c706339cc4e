import { describe, expect, it } from 'vitest';
import { NEUTRAL_FIELD_NAMES } from '../../src/contract/field-names.ts';
import { isTooComplex } from '../../src/lib/json.ts';
import { acceptAnswer } from '../../src/stock/accept.ts';
import { SHAPES } from './corpus/json-shapes.ts';

const accept = (...texts: string[]) =>
  acceptAnswer(
    texts.map((text) => JSON.parse(text) as unknown),
    7001,
    NEUTRAL_FIELD_NAMES,
  );
const GOOD = '{"vrm":"GOOD1","dateUpdated":"2026-01-01T00:00:00Z","mediaList":[]}';

describe('responses of any shape', () => {
  it.each(SHAPES)('$name: $code', ({ json, code, isItem }) => {
    const { counts, vehicles } = accept(GOOD, json);
    const isComplete = code === undefined || isItem === true;
    expect(vehicles).toHaveLength(isComplete ? 2 : 1);
    expect(vehicles[0]?.vrm).toBe('GOOD1');
    expect(counts.quarantine.map((one) => one.code)).toEqual(code === undefined ? [] : [code]);
    expect(counts.vehicles.accepted + counts.vehicles.quarantined).toBe(2);
    expect(Object.keys(counts.unknownFields).length).toBeLessThanOrEqual(101);
    for (const name of Object.keys(counts.unknownFields)) expect(name.length).toBeLessThan(90);
    // Messages contain texts of the contract and nothing of the response.
    expect(JSON.stringify(counts.quarantine).length).toBeLessThan(400);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(vehicles[0] ?? null)).toBe(Object.prototype);
  });

  it('with a flood of unknown types and fields report the first and count all', () => {
    const texts = Array.from(
      { length: 300 },
      (_, n) =>
        `{"vrm":"V${n}","dateUpdated":"2026-01-01T00:00:00Z","field${n}":1,"mediaList":[{"id":${n},"type":"Kind${n}","label":"","mediaUrl":"x"}]}`,
    );
    const { counts } = accept(...texts);
    expect(Object.keys(counts.unknownTypes)).toHaveLength(101);
    expect(counts.unknownTypes['(others)']).toBe(200);
    expect(counts.unknownFields['(others)']).toBe(200);
    expect(counts.items.unknownType).toBe(300);
  });
});

describe('depth and size', () => {
  it.each([
    ['[]', false],
    ['[[{"a":[1]}]]', false],
    [`${'['.repeat(64)}${']'.repeat(64)}`, false],
    [`${'['.repeat(65)}${']'.repeat(65)}`, true],
    ['{"a":'.repeat(100_000), true],
    [`"${'['.repeat(1000)}"`, false],
    [`"\\"${'['.repeat(1000)}"`, false],
    [`"\\\\"${'['.repeat(1000)}`, true],
    [`${'[],'.repeat(1000)}`, false],
    [`[${'{},'.repeat(3_999_998)}1]`, false],
    [`[${'{},'.repeat(4_000_000)}1]`, true],
    [`["${','.repeat(9_000_000)}"]`, false],
  ])('case %#', (text, isTooMuch) => {
    expect(isTooComplex(Buffer.from(text))).toBe(isTooMuch);
  });
});
