import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldNamesSchema, NEUTRAL_FIELD_NAMES } from '../../src/contract/field-names.ts';
import { sourceKey } from '../../src/images/plan.ts';
import { writeRecord } from '../../src/record/file.ts';
import { KnownPictures } from '../../src/record/known-pictures.ts';
import { Memory } from '../../src/record/memory.ts';
import type { DealerRecord } from '../../src/record/schema.ts';
import { publicVehicle, publicVehicleSchema } from '../../src/record/vehicle.ts';
import { acceptAnswer } from '../../src/stock/accept.ts';
import { vehicleSlug } from '../../src/stock/address.ts';
import { withdrawnNow } from '../../src/stock/withdrawn.ts';
import { embedOf } from '../../src/videos/embed.ts';
import { BUILT_IN_PROVIDERS } from '../../src/videos/providers.ts';
import { EMBEDS } from '../hostile/corpus/embeds.ts';
import {
  ABSENT,
  asFiles,
  dealer,
  filesOf,
  MONDAY,
  NOTHING,
  NOW,
  SITE,
} from '../support/dealer-records.ts';
import { anyText, RUNS } from './support.ts';

const json = fc.jsonValue({ maxDepth: 3 });
const odd = fc.oneof(
  json,
  anyText,
  fc.constantFrom(null, 0, -0, 1e308, '', {}, []),
  fc.constantFrom('9999-12-31T23:59:59-23:59', '0001-01-01T00:00:00+23:59'),
  fc.constantFrom('0000-01-01T00:00:00Z', '2016-12-31T23:59:60Z'),
);

const timestamp = fc
  .date({
    min: new Date('0001-01-02T00:00:00Z'),
    max: new Date('9999-12-30T00:00:00Z'),
    noInvalidDate: true,
  })
  .chain((date) =>
    fc.constantFrom('Z', '+14:00', '-23:59').map((zone) => date.toISOString().replace('Z', zone)),
  );

const extra = fc.dictionary(
  fc.oneof(anyText, fc.constantFrom('__proto__', 'constructor', 'toString', 'length')),
  json,
  { maxKeys: 3 },
);
const withExtra = <T extends object>(fields: fc.Arbitrary<T>) =>
  fields.chain((known) => extra.map((more) => ({ ...more, ...known })));

const embedUrls = fc.constantFrom(...EMBEDS.flatMap(({ url }) => url ?? []));
const snippets = fc.constantFrom(...EMBEDS.flatMap(({ html }) => html ?? []));

/** Written as `-0` into the JSON text, which `JSON.stringify` would write as `0`. */
const MINUS_ZERO = '(minus zero)';
const longText = fc
  .constantFrom('x', '\0', '\ud800', '\udc00', '"', '\\', '\u2028', 'é', 'ﷺ')
  .map((unit) => unit.repeat(1000));
const acceptedText = fc.oneof(
  { weight: 5, arbitrary: anyText },
  { weight: 1, arbitrary: longText },
);

/** Records of a response. @param field changes the values of some fields. */
function recordsWith(field: (good: fc.Arbitrary<unknown>) => fc.Arbitrary<unknown>) {
  const item = fc.record(
    {
      id: field(
        fc.oneof(
          fc.maxSafeInteger(),
          fc.integer({ min: -3, max: 3 }),
          fc.constantFrom(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, MINUS_ZERO),
        ),
      ),
      type: field(fc.constantFrom('Image', 'Image', 'IMAGE', 'Video', 'video', 'Sound', '')),
      label: field(acceptedText),
      mediaUrl: field(
        fc.oneof(
          fc.webUrl({ withQueryParameters: true, withFragments: true }),
          anyText.map((text) => `https://pics.example/${text}`.slice(0, 4096)),
          fc.constantFrom(
            'HTTPS://PICS.example:443/a/../b c?d=é#f',
            'http://[::1]:81',
            'http://0x7f.1/%zz',
            ` https://xn--80ak6aa92e.example/${'ü'.repeat(600)} `,
            `https://pics.example/${'a'.repeat(4096 - 21)}`,
            '/stock/1.jpg',
          ),
        ),
      ),
      hostedVideoUrl: field(fc.oneof(fc.constant(null), acceptedText, embedUrls)),
      hostedVideoEmbedHtml: field(fc.oneof(acceptedText, snippets)),
      hostedVideoWatchUrl: field(fc.oneof(fc.constant(null), acceptedText)),
    },
    { requiredKeys: ['id', 'type', 'label', 'mediaUrl'] },
  );
  const record = fc.record({
    vrm: field(fc.oneof(acceptedText, fc.constantFrom('AB12 CDE', 'ab12cde', '', 'page'))),
    dateUpdated: field(
      fc.oneof(
        timestamp,
        fc.constantFrom(
          '0001-01-01T00:00:00Z',
          '9999-12-31T23:59:59.999999999Z',
          '2024-02-29T23:59:59-23:59',
          '2026-03-01T12:30:00.123456+05:30',
        ),
      ),
    ),
    mediaList: field(fc.array(field(withExtra(item)), { maxLength: 5 })),
  });
  return fc.array(field(withExtra(record)), { maxLength: 3 });
}

/** The contract accepts all records and items. */
const acceptedAnswer = recordsWith((good) => good);
/** Each value is replaced now and then, so that complete records also occur. */
const anyAnswer = recordsWith((good) =>
  fc.oneof({ weight: 14, arbitrary: good }, { weight: 1, arbitrary: odd }),
);

/** The record of an answer, with a picture for each image. */
function recordOf(text: string, showsAddress: boolean): DealerRecord {
  const { vehicles, counts } = acceptAnswer(JSON.parse(text), dealer.id, NEUTRAL_FIELD_NAMES);
  expect(counts.vehicles.quarantined).toBe(0);
  expect(counts.quarantine.map(({ code }) => code)).not.toContain('contract-invalid_type');
  const known = new KnownPictures();
  const hash = 'a'.repeat(20);
  const outputs = { '-320-00aa11.webp': `3k-${'A'.repeat(27)}` };
  const content = { width: 4, height: 3, colour: '808080', outputs };
  for (const { dateUpdated: vehicleDate, media } of vehicles) {
    for (const item of media) {
      if (item.kind === 'video') continue;
      known.record(sourceKey(dealer.id, item), { validator: '"a"', vehicleDate, hash }, content);
    }
  }
  known.show([...known.sources.keys()].map((key) => [key, Object.keys(outputs)]));
  return {
    dealer: dealer.id,
    withdrawn: withdrawnNow({ vehicles, withdrawn: [] }, [], {
      now: Date.parse(MONDAY),
      withdrawnFor: 1,
    }),
    vehicles: vehicles.map((vehicle) =>
      publicVehicle(vehicle, {
        embedAddress: (video) => embedOf(video, BUILT_IN_PROVIDERS).embed?.src,
        showsAddress: () => showsAddress,
      }),
    ),
    ...known.rows(String(dealer.id)),
  };
}

describe('a response that satisfies the contract', () => {
  it('is restored from its record, from a kept cache and from the published site', async () => {
    let items = 0;
    let videos = 0;
    await fc.assert(
      fc.asyncProperty(acceptedAnswer, fc.boolean(), async (answer, showsAddress) => {
        const text = JSON.stringify(answer).replaceAll(`"${MINUS_ZERO}"`, '-0');
        const record = recordOf(text, showsAddress);
        items += record.sources.length;
        videos += record.vehicles
          .flatMap(({ media }) => media)
          .filter((one) => 'hostedUrl' in one).length;
        const files = asFiles(filesOf(record, MONDAY));
        for (const [cached, published] of [
          [files, NOTHING],
          [NOTHING, files],
        ] as const) {
          const { last, notes } = await new Memory({
            site: SITE,
            now: NOW,
            cached,
            published: () => ({ files: published, list: async () => ABSENT }),
          }).recall(dealer);
          expect(notes).toEqual([]);
          expect(last && writeRecord(last.record)).toEqual(writeRecord(record));
        }
      }),
      { numRuns: 1500 },
    );
    expect(items).toBeGreaterThan(500);
    expect(videos).toBeGreaterThan(50);
  });
});

describe('any response', () => {
  it('is accepted, quarantined or counted to the last record and item, and can be stored', () => {
    let accepted = 0;
    let kept = 0;
    fc.assert(
      fc.property(anyAnswer, fc.boolean(), (body, real) => {
        const names = real
          ? fieldNamesSchema.parse({ hostedVideo: 'youTube' })
          : NEUTRAL_FIELD_NAMES;
        // Through JSON, like a real response.
        const answer = JSON.parse(JSON.stringify(body)) as unknown[];
        // As if the previous night had listed the same plates.
        const stored = [...new Set(body.map((one) => Object(one).vrm))]
          .filter((vrm) => typeof vrm === 'string')
          .map((vrm) => ({
            dealerId: 7001,
            vrm,
            slug: vehicleSlug(vrm),
            dateUpdated: '',
            media: [],
          }));
        const { vehicles: all, counts } = acceptAnswer(answer, 7001, names, stored);
        const vehicles = all.filter((one) => !stored.includes(one as never));
        expect(counts.keptVrms).toHaveLength(all.length - vehicles.length);
        expect(new Set(all.map(({ vrm }) => vrm)).size).toBe(all.length);
        kept += counts.keptVrms.length;
        accepted += vehicles.length;
        expect(counts.vehicles.received).toBe(answer.length);
        expect(counts.vehicles.accepted + counts.vehicles.quarantined).toBe(answer.length);
        expect(vehicles).toHaveLength(counts.vehicles.accepted - counts.vehicles.duplicates);
        const sum = vehicles.reduce((total, { media }) => total + media.length, 0);
        if (counts.vehicles.duplicates === 0)
          expect(counts.items.accepted - counts.items.duplicates).toBe(sum);
        // The snapshot is read from the record: accepted data must be restored.
        for (const vehicle of vehicles) {
          const shown = publicVehicle(vehicle, {
            embedAddress: () => undefined,
            showsAddress: () => true,
          });
          const read = publicVehicleSchema.safeParse(JSON.parse(JSON.stringify(shown)));
          expect(read.error).toBeUndefined();
        }
        for (const { media } of vehicles)
          for (const item of media)
            expect(
              new URL((item.kind === 'image' ? item.url : item.playerUrl) ?? '').protocol,
            ).toMatch(/^https?:$/);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      RUNS,
    );
    expect(accepted).toBeGreaterThan(500);
    expect(kept).toBeGreaterThan(50);
  });
});
