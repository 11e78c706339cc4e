import { describe, expect, it } from 'vitest';
import { mediaLossGate } from '../../../src/stock/refusals.ts';
import type { Vehicle } from '../../../src/stock/vehicle.ts';

let id = 0;
const media = (kind: 'image' | 'video', count: number) =>
  Array.from({ length: count }, () => ({ kind, id: id++ }));
/** A vehicle with the given numbers of pictures and videos, with unique ids. */
const vehicle = (vrm: string, pictures: number, videos = 0) =>
  ({ vrm, media: [...media('image', pictures), ...media('video', videos)] }) as unknown as Vehicle;
const stock = (count: number, pictures: number, videos = 0) =>
  Array.from({ length: count }, (_, index) => vehicle(`V${index}`, pictures, videos));

const counts = { items: { received: 9, quarantined: 0, unknownType: 0 }, unknownTypes: {} };
const gate = (before: Vehicle[], vehicles: Vehicle[], more: object = {}) =>
  mediaLossGate({ vehicles, counts: { ...counts, ...more } } as never, { vehicles: before }, {
    dealer: { id: 7, name: 'Seven', slug: 'seven' },
    config: { publish: { maxVehicleLoss: 0.3, minVehicleLoss: 5 } },
    acceptLoss: [],
    ...more,
  } as never);

describe('a loss of media', () => {
  it.each<[string, Vehicle[], Vehicle[], string | undefined]>([
    ['nothing lost', stock(40, 20, 1), stock(40, 20, 1), undefined],
    ['pictures replaced', stock(1, 10), [vehicle('V0', 10)], undefined],
    ['3 of 40 vehicles sold', stock(40, 20, 1), stock(37, 20, 1), undefined],
    ['all but one sold', stock(40, 20, 1), stock(1, 20, 1), undefined],
    ['a share of exactly the limit', stock(10, 10), stock(10, 7), undefined],
    ['a larger share', stock(10, 10), stock(10, 6), '40 of 100 pictures'],
    [
      'a share of some vehicles',
      stock(10, 10),
      [...stock(6, 10), ...stock(10, 0).slice(6)],
      '40 of 100 pictures',
    ],
    [
      'gains do not hide it',
      stock(2, 10),
      [vehicle('V0', 0), vehicle('V1', 30)],
      '10 of 20 pictures',
    ],
    [
      'new vehicles do not hide it',
      stock(2, 10),
      [...stock(2, 0), vehicle('N', 90)],
      '20 of 20 pictures',
    ],
    ['fewer than the minimum', stock(2, 4), [vehicle('V0', 0), vehicle('V1', 4)], undefined],
    ['the last picture', [vehicle('A', 1)], [vehicle('A', 0)], '1 of 1 picture'],
    [
      'a last picture, but of a new vehicle',
      stock(1, 1),
      [...stock(1, 0), vehicle('N', 1)],
      undefined,
    ],
    ['all videos', stock(5, 9, 1), stock(5, 9, 0), '5 of 5 videos'],
    ['a few videos', stock(4, 9, 1), stock(4, 9, 0), undefined],
    ['both', stock(5, 2, 1), stock(5, 0, 0), '10 of 10 pictures and 5 of 5 videos'],
    ['no media before', stock(5, 0), stock(5, 0), undefined],
  ])('%s', (_, before, after, lost) => {
    const [told] = gate(before, after)?.message.split(': ') ?? [];
    expect(told).toBe(lost && `${lost} of dealer 7 (Seven) disappeared at once`);
  });

  it('lists plates and the command that accepts it', () => {
    const error = gate(stock(12, 10), [...stock(12, 0).slice(0, 11), vehicle('V11', 10)]);
    expect(error?.message).toMatch(/: V0, V1, .*V9 and 1 more\.$/);
    expect(error?.fix).toMatch(/ the workflow, with --accept-loss seven@[0-9a-f]{12}$/);
  });

  it('is accepted only as it was reported', () => {
    const before = stock(10, 10);
    const [, token = ''] = /--accept-loss (\S+)/.exec(gate(before, stock(10, 6))?.fix ?? '') ?? [];
    expect(gate(before, stock(10, 6), { acceptLoss: [token] })).toBeUndefined();
    expect(gate(before, stock(10, 5), { acceptLoss: [token] })?.code).toBe('stock-media-loss');
  });

  it('has a reason, with the unusable items', () => {
    const items = { received: 20, quarantined: 4, unknownType: 16 };
    const error = gate(stock(5, 4), stock(5, 0), { items, unknownTypes: { Photo: 16 } });
    expect(error?.code).toBe('stock-media-loss');
    expect(error?.why).toMatch(
      /No picture is left\. Of 20 media items, 16 have an unknown type \(Photo\), 4 break the contract or have no usable URL\.$/,
    );
    expect(gate(stock(5, 4), stock(5, 1))?.why).toMatch(
      /This exceeds publish.maxVehicleLoss \(30 %\)\.$/,
    );
  });
});
