import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import {
  type AppError,
  GateError,
  RefusedError,
  toPlainError,
  UnreachableError,
} from '../../../src/errors.ts';
import {
  attentionOf,
  emptyFeeds,
  failedPicturesAttention,
  unmatchedDecisions,
} from '../../../src/publish/gates/attention.ts';
import {
  checkDealers,
  checkNotAllRefused,
  checkPictures,
  type DealerOutcome,
  outcomeOf,
} from '../../../src/publish/gates/gates.ts';
import type { DealerStock } from '../../../src/stock/dealer-stock.ts';
import { thrownBy } from '../../support/thrown.ts';

const words = { code: 'some-code', what: 'What it is.', why: 'Why so.', fix: 'Do this.' };
const refused = new RefusedError({ ...words, code: 'refused' });
const unreachable = new UnreachableError({ ...words, code: 'unreachable' });
const gate = new GateError({ ...words, code: 'gate' });

const stockOf = (more: Partial<DealerStock> = {}): DealerStock => ({
  dealer: {
    id: 7,
    name: 'Northgate',
    slug: 'north',
    apiKey: new Secret('k'),
  } as DealerStock['dealer'],
  source: 'live',
  vehicles: [],
  withdrawn: [],
  notes: [],
  ...more,
});
const outcome = ({
  problem,
  ...more
}: Partial<Omit<DealerOutcome, 'problem'>> & { problem?: AppError } = {}): DealerOutcome => ({
  dealer: { id: 7, name: 'Northgate' },
  published: 'live',
  problem: problem && toPlainError(problem),
  state: 'fresh',
  vehicles: 1,
  ...more,
});
const check = (complete: boolean, ...dealers: DealerOutcome[]) =>
  thrownBy(() => checkDealers(dealers, { complete }));

it.each([
  ['live', 'live', false, 'fresh'],
  ['snapshot', 'live', false, 'degraded'],
  ['held', 'live', false, 'held'],
  ['none', 'live', false, 'failed'],
  ['none', 'live', true, 'failed'],
  ['none', 'unknown', false, 'failed'],
  ['none', 'unknown', true, 'left-out'],
  ['none', 'absent', false, 'left-out'],
  ['none', undefined, false, 'left-out'],
] as const)(
  'a dealer with %s vehicles, published: %s, first: %s is %s',
  (source, published, first, state) => {
    expect(outcomeOf(stockOf({ source, published }), { first }).state).toBe(state);
  },
);

describe('a site', () => {
  it('is not published if the service refused every request', () => {
    const failed = outcome({ state: 'failed', problem: refused });
    expect(check(true, failed, outcome({ problem: refused }))).toMatchObject({
      code: 'refused',
      message: 'The service refused the requests for all dealers (2). The first: What it is.',
      why: 'Why so.',
      fix: 'Do this.',
    });
    expect(check(false, failed)).toBeUndefined();
    expect(thrownBy(() => checkNotAllRefused([{ problem: refused }]))).toBe(refused);
    expect(
      thrownBy(() => checkNotAllRefused([{ problem: refused }, { problem: gate }])),
    ).toBeUndefined();
    expect(thrownBy(() => checkNotAllRefused([{ problem: refused }, {}]))).toBeUndefined();
    expect(thrownBy(() => checkNotAllRefused([]))).toBeUndefined();
  });

  it('is not published without a dealer that has pages online', () => {
    for (const complete of [true, false]) {
      const error = check(complete, outcome(), outcome({ state: 'failed', problem: gate }));
      expect(error).toBeInstanceOf(GateError);
      const why = expect.stringMatching(/^Why so\. It has pages online/);
      const message = 'What it is.';
      expect(error).toMatchObject({ code: 'gate', message, why, fix: 'Do this.', cause: gate });
    }
    const failed = outcome({ state: 'failed', problem: gate });
    const other = { ...failed, dealer: { id: 8, name: 'Southgate' } };
    const { message } = check(true, failed, outcome(), other, failed) as GateError;
    expect(message).toBe('What it is. 2 more dealers failed: 8 (Southgate), 7 (Northgate).');
  });

  it('is not published if the service refuses a dealer that has pages online', () => {
    const error = check(true, outcome(), outcome({ state: 'failed', problem: refused }));
    expect(error).toBeInstanceOf(RefusedError);
  });

  it('is not published if it is unknown whether a dealer has pages, and names the solution', () => {
    const failed = { state: 'failed', published: 'unknown' } as const;
    // Trying again later helps only if the service did not refuse.
    const kinds = [[gate, UnreachableError] as const, [refused, RefusedError] as const];
    const fixes = kinds.map(([problem, kind]) => {
      const error = check(true, outcome(), outcome({ ...failed, problem }));
      expect(error).toBeInstanceOf(kind);
      expect((error as AppError).why).toMatch(/^Why so\. The published site could not be read/);
      return (error as AppError).fix;
    });
    expect(fixes[0]).toMatch(/^Run the build again later\. If nothing is online yet.* --first/);
    expect(fixes[1]).toMatch(/^Do this\. If nothing is online yet.* --first/);
  });

  it('is not published if the stock lists of all dealers are unusable', () => {
    const invalid = outcome({ listProblem: toPlainError(gate) });
    expect(check(true, invalid, outcome())).toBeUndefined();
    expect(check(true, invalid)).toMatchObject({ code: 'gate', message: 'What it is.' });
    expect(check(true, invalid, invalid)).toMatchObject({
      code: 'gate',
      message: 'The stock lists of all dealers (2) cannot be used. The first: What it is.',
    });
  });

  it('is not published empty: it gives the first problem, or reports that no dealer has vehicles', () => {
    const leftOut = outcome({ state: 'left-out', vehicles: 0 });
    expect(
      check(true, leftOut, outcome({ state: 'left-out', vehicles: 0, problem: unreachable })),
    ).toEqual(unreachable);
    expect(check(true, leftOut)).toMatchObject({ code: 'publish-nothing' });
    expect(check(true, outcome({ vehicles: 0 }))).toMatchObject({ code: 'publish-nothing' });
    expect(check(false, outcome({ vehicles: 0 }))).toBeUndefined();
    expect(check(false, leftOut)).toBeUndefined();
  });
});

const failure = {
  key: '7/1 a',
  vehicle: 'ab10xyz',
  code: 'picture-x',
  message: 'It is torn.',
  standIn: false,
};

it.each([
  [4, 4, false],
  [5, 10, false],
  [5, 9, true],
  [6, 10, true],
])(
  '%i of %i pictures missing from pages stop a publish at more than half and at least five: %s',
  (missing, pictures, stops) => {
    const failures = [...Array(missing).fill(failure), { ...failure, standIn: true }];
    const error = thrownBy(() =>
      checkPictures(pictures, failures, { maxPictureFailures: 0.5 }),
    ) as GateError;
    expect(error?.code).toBe(stops ? 'publish-too-many-pictures-failed' : undefined);
    if (stops) expect(error.why).toMatch(/\(50 %\).*It is torn\. \[picture-x\]/);
  },
);

it.each([
  ['one vehicle', { key: '7/2 b' }, 50, false],
  ['one vehicle', { key: '7/2 b' }, 20, true],
  ['two vehicles', { key: '7/2 b', vehicle: 'ab11xyz' }, 50, true],
  ['vehicles of two dealers', { key: '8/2 b' }, 50, true],
])(
  'missing pictures of %s (%j), of %i pictures, stop a publish: %s',
  (_, other, pictures, stops) => {
    const failures = [...Array(10).fill(failure), { ...failure, ...other }];
    const error = thrownBy(() => checkPictures(pictures, failures, { maxPictureFailures: 0.2 }));
    expect(error !== undefined).toBe(stops);
  },
);

it.each([
  ['download-status', 'its server responded with status 404', /does not have: send the vendor/],
  ['download-status', 'its server responded with status 410', /does not have: send the vendor/],
  ['download-status', 'its server responded with status 403', /refuses access/],
  ['download-status', 'its server responded with status 503', /^Try again later/],
  ['download-host', 'host x is not in media.hosts', /add it to media\.hosts/],
  ['download-address', '10.0.0.1 is not a public address', /media\.privateNetworks/],
  ['download-timeout', 'it did not arrive', /^Try again later/],
  ['picture-undecodable', 'it is torn', /replace these pictures/],
  ['picture-too-large', 'it is huge', /smaller pictures/],
  ['worker-failed', 'The store refused the list of the bucket (status 403)', /store or the disk/],
  ['picture-killed-worker', 'two workers crashed on it', /more memory/],
])('advice about %s: %s', (code, message, fix) => {
  const failures = [1, 2, 3, 4, 5].map((key) => ({ ...failure, key: String(key), code, message }));
  // The advice about most pictures comes first.
  const rare = { ...failure, code: 'download-encoding' };
  const error = thrownBy(() =>
    checkPictures(6, [rare, ...failures], { maxPictureFailures: 0.1 }),
  ) as GateError;
  expect(error.fix).toMatch(fix);
  expect(error.fix).toMatch(/ Ask the vendor to serve pictures without compression\.$/);
  if (code !== 'download-host') expect(error.fix).not.toContain('media.hosts');
});

it.each([
  ['download-host', 4, false],
  ['download-host', 5, true],
  ['download-address', 5, true],
  ['download-status', 5, false],
  ['download-status', 60, false],
  ['download-status', 61, true],
])('of 300 pictures that fail with %s, %i need attention: %s', (code, failed, needed) => {
  const pictures = { listed: 300, used: 0, failed, missing: 0, reason: { code, message: 'x' } };
  const dealer = { id: 7, name: 'Northgate', state: 'fresh', pictures } as const;
  const found = failedPicturesAttention([dealer], { maxPictureFailures: 0.2 });
  expect(found.map((one) => one.code)).toEqual(needed ? ['stock-pictures-failed'] : []);
});

describe('the report needs attention', () => {
  const config = { publish: { maxSnapshotAge: 0, maxQuarantined: 0.2 } };
  const about = (stock: Partial<DealerStock>, first = false) =>
    attentionOf(stockOf(stock), 'fresh', { now: 0, config, first });

  it.each([
    [{ received: 4, accepted: 1, quarantined: 3, unknownType: 0 }, false],
    [{ received: 3, accepted: 0, quarantined: 0, unknownType: 3 }, true],
    [{ received: 25, accepted: 20, quarantined: 2, unknownType: 3 }, false],
    [{ received: 24, accepted: 19, quarantined: 2, unknownType: 3 }, true],
    [{ received: 0, accepted: 0, quarantined: 0, unknownType: 0 }, false],
  ])('if too many media items are unusable: %j', (items, isNeeded) => {
    const unknownTypes = { 'Pho\nto': 1, A: 1, B: 1, C: 0 };
    const one = about({ counts: { items, unknownTypes } as never });
    expect(one?.code).toBe(isNeeded ? 'stock-media-unusable' : undefined);
    if (isNeeded) expect(one?.what).toContain('3 have an unknown type (Pho\\u{a}to, A, B, …)');
  });

  it.each([
    [72, 'degraded', unreachable, undefined],
    [73, 'degraded', unreachable, 'stock-answer-old'],
    [1, 'degraded', refused, 'refused'],
    [1, 'held', gate, 'gate'],
  ] as const)('about a snapshot of %i hours, %s: %s', (hours, state, problem, code) => {
    const config = { publish: { maxSnapshotAge: 72 * 3_600_000, maxQuarantined: 0.2 } };
    const now = Date.parse('2026-03-10T00:00:00Z');
    const takenAt = new Date(now - hours * 3_600_000).toISOString();
    const one = attentionOf(stockOf({ problem, takenAt }), state, { now, config, first: false });
    expect(one?.code).toBe(code);
    if (code === 'stock-answer-old') expect(one?.what).toContain('73 hours old');
  });

  it('about a feed without vehicles, unless none is for sale', () => {
    const feed = { file: 'a.csv', public: true, vehicles: 2, used: 0, notForSale: 1, missing: {} };
    expect(emptyFeeds([feed])).toMatchObject([{ code: 'feed-empty' }]);
    expect(emptyFeeds([{ ...feed, notForSale: 2 }])).toEqual([]);
  });

  it('if --hide hides nothing, and as a note while a response is missing', () => {
    const control = new Map([
      ['AB1', { plate: 'AB 1', without: [] }],
      ['CD2', { plate: 'CD 2', line: 3, without: [] }],
      ['EF3', { plate: 'EF 3', line: 4, without: [] }],
    ]);
    const of = (state: DealerOutcome['state']) =>
      unmatchedDecisions(control, { outcomes: [outcome({ state })], matched: ['EF3'] });
    expect(of('fresh')).toMatchObject({
      notes: [expect.stringContaining('CD 2')],
      attention: [{ code: 'vehicles-hide-unmatched', what: expect.stringContaining('AB 1') }],
    });
    expect(of('fresh').notes[0]).not.toContain('EF 3');
    expect(of('held')).toEqual(of('fresh'));
    expect(of('left-out')).toEqual(of('fresh'));
    // It may be hidden already, which the record does not show.
    expect(of('degraded')).toEqual({
      notes: [expect.stringMatching(/--hide: .* AB 1\. .*the plate is wrong/)],
      attention: [],
    });
  });

  it('if a response is compared with nothing, unless it is the first', () => {
    const one = about({ notCompared: 'status 500' });
    expect(one).toMatchObject({
      code: 'stock-not-compared',
      what: expect.stringMatching(
        /missing vehicles.* \(status 500\), and this machine has no snap/,
      ),
      fix: expect.stringMatching(/^If nothing is online yet, build with --first\./),
    });
    expect(one?.what).toContain('Dealer 7 (Northgate)');
    expect(one?.what).toContain('(status 500)');
    expect(about({ notCompared: 'status 500' }, true)).toBeUndefined();
  });
});
