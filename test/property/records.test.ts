import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldNamesSchema, NEUTRAL_FIELD_NAMES } from '../../src/contract/field-names.ts';
import { publicVehicle, publicVehicleSchema } from '../../src/record/vehicle.ts';
import { isNestedTooDeeply } from '../../src/service/get-json.ts';
import { acceptAnswer } from '../../src/stock/accept.ts';
import { anyText, RUNS } from './support.ts';

const json = fc.jsonValue({ maxDepth: 3 });
const odd = fc.oneof(json, anyText, fc.constantFrom(null, 0, -0, 1e308, '', {}, []));
/** `true`-ish more often than not, so that whole records come through too. */
const mostly = <T>(good: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: good as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: odd });

const timestamp = fc
  .date({
    min: new Date('0001-01-02T00:00:00Z'),
    max: new Date('9999-12-30T00:00:00Z'),
    noInvalidDate: true,
  })
  .chain((date) =>
    fc.constantFrom('Z', '+14:00', '-23:59').map((zone) => date.toISOString().replace('Z', zone)),
  );
const edge = fc.constantFrom(
  '9999-12-31T23:59:59-23:59',
  '0001-01-01T00:00:00+23:59',
  '0000-01-01T00:00:00Z',
  '2016-12-31T23:59:60Z',
);

const extra = fc.dictionary(
  fc.oneof(anyText, fc.constantFrom('__proto__', 'constructor', 'toString', 'length')),
  json,
  { maxKeys: 3 },
);
const item = fc
  .record(
    {
      id: mostly(fc.integer()),
      type: mostly(fc.constantFrom('Image', 'Video', 'video', 'Sound')),
      label: mostly(anyText),
      mediaUrl: mostly(fc.oneof(fc.webUrl(), anyText)),
      hostedVideoUrl: mostly(fc.webUrl()),
      hostedVideoEmbedHtml: mostly(anyText),
    },
    { requiredKeys: ['id', 'type', 'label', 'mediaUrl'] },
  )
  .chain((fields) => extra.map((more) => ({ ...more, ...fields })));
const record = fc
  .record({
    vrm: mostly(anyText),
    dateUpdated: mostly(fc.oneof(timestamp, edge)),
    mediaList: mostly(fc.array(mostly(item), { maxLength: 3 })),
  })
  .chain((fields) => extra.map((more) => ({ ...more, ...fields })));

describe('any answer', () => {
  it('is accepted, set aside or counted to the last record and item, and can be kept', () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(mostly(record), { maxLength: 3 }), fc.boolean(), (body, real) => {
        const names = real
          ? fieldNamesSchema.parse({ hostedVideo: 'youTube' })
          : NEUTRAL_FIELD_NAMES;
        // As it would come: through JSON.
        const answer = JSON.parse(JSON.stringify(body)) as unknown[];
        const { vehicles, counts } = acceptAnswer(answer, 7001, names);
        accepted += vehicles.length;
        expect(counts.vehicles.received).toBe(answer.length);
        expect(counts.vehicles.accepted + counts.vehicles.quarantined).toBe(answer.length);
        expect(vehicles).toHaveLength(counts.vehicles.accepted - counts.vehicles.duplicates);
        const sum = vehicles.reduce((total, { media }) => total + media.length, 0);
        if (counts.vehicles.duplicates === 0) expect(counts.items.accepted).toBe(sum);
        // The last good answer is read again from the record: what was accepted must come back.
        for (const vehicle of vehicles) {
          const shown = publicVehicle(vehicle, {
            embedAddress: () => undefined,
            showsAddress: () => true,
          });
          const read = publicVehicleSchema.safeParse(JSON.parse(JSON.stringify(shown)));
          expect(read.error).toBeUndefined();
        }
        for (const { media } of vehicles)
          for (const one of media)
            expect(
              new URL((one.kind === 'image' ? one.url : one.playerUrl) ?? '').protocol,
            ).toMatch(/^https?:$/);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      RUNS,
    );
    expect(accepted).toBeGreaterThan(1000);
  });

  it('is measured for depth as a reader of JSON would', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
        : 0;
    const nested = fc
      .tuple(json, fc.integer({ min: 0, max: 80 }), fc.boolean())
      .map(([value, levels, list]) => {
        let whole: unknown = value;
        for (let level = 0; level < levels; level++) whole = list ? [whole] : { '[': whole };
        return whole;
      });
    fc.assert(
      fc.property(nested, (value) => {
        expect(isNestedTooDeeply(JSON.stringify(value))).toBe(depthOf(value) > 64);
      }),
      RUNS,
    );
  });
});
