import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { LONGEST, MOST_ITEMS } from '../../../src/contract/media.ts';
import {
  fromPublic,
  type PublicVehicle,
  publicVehicle,
  publicVehicleSchema,
} from '../../../src/record/vehicle.ts';
import { noFindings, toVehicle } from '../../../src/stock/vehicle.ts';

const FRAMED = 'https://videos.example/v/1';
const vehicle = toVehicle(
  {
    vrm: 'AB12 CDE',
    dateUpdated: '2026-03-01T00:00:00Z',
    mediaList: [
      { id: 1, type: 'Image', label: 'Image 1', mediaUrl: 'https://pictures.example/1?who=me' },
      { id: 2, type: 'Image', label: 'Image 2', mediaUrl: 'https://pictures.example/2' },
      {
        id: 3,
        type: 'Video',
        label: 'Walkround',
        mediaUrl: 'https://media.example/player/3',
        hostedVideoUrl: `${FRAMED}?tracker=1`,
        hostedVideoEmbedHtml: `<iframe src="${FRAMED}"></iframe>`,
        hostedVideoWatchUrl: 'https://videos.example/watch/1',
      },
      {
        id: 4,
        type: 'Video',
        label: 'Interior',
        mediaUrl: 'https://media.example/player/4',
        hostedVideoUrl: 'https://unknown.example/4',
      },
    ],
  },
  7,
  noFindings(),
);
const sourceOf = (text: string) =>
  createHash('sha256').update(text).digest('base64url').slice(0, 11);

const shown: PublicVehicle = {
  vrm: 'AB12 CDE',
  dateUpdated: '2026-03-01T00:00:00Z',
  media: [
    {
      kind: 'image',
      id: 1,
      label: 'Image 1',
      source: sourceOf('7/1 https://pictures.example/1?who=me'),
    },
    {
      kind: 'image',
      id: 2,
      label: 'Image 2',
      source: sourceOf('7/2 https://pictures.example/2'),
      url: 'https://pictures.example/2',
    },
    {
      kind: 'video',
      id: 3,
      label: 'Walkround',
      playerUrl: 'https://media.example/player/3',
      hostedUrl: FRAMED,
    },
    { kind: 'video', id: 4, label: 'Interior', playerUrl: 'https://media.example/player/4' },
  ],
};

describe('a vehicle in its public form', () => {
  it('contains the data of pages, and hashes', () => {
    const addresses = {
      embedAddress: ({ id }: { id: number }) => (id === 3 ? FRAMED : undefined),
      showsAddress: ({ id }: { id: number }) => id === 2,
    };
    expect(publicVehicle(vehicle, addresses)).toStrictEqual(shown);
    const again = fromPublic(publicVehicleSchema.parse(JSON.parse(JSON.stringify(shown))), 7);
    expect(again).toStrictEqual({ dealerId: 7, slug: 'ab12-cde', ...shown });
    expect(publicVehicle(again, addresses)).toStrictEqual(shown);
  });

  const [image, , video] = shown.media;
  const having = (...media: unknown[]) => ({ ...shown, media });
  it.each([
    ['a field more', { ...shown, dealerId: 7 }],
    ['a snippet', having({ ...video, embedHtml: '<iframe>' })],
    ['a watch page', having({ ...video, watchUrl: FRAMED })],
    ['a video that is a picture', having({ ...video, kind: 'image' })],
    ['another kind', having({ ...image, kind: 'sound' })],
    ['a script for an address', having({ ...image, url: 'javascript:alert(1)' })],
    ['a script for a player', having({ ...video, playerUrl: 'javascript:alert(1)' })],
    ['a script in a frame', having({ ...video, hostedUrl: 'data:text/html,<script>' })],
    ['an address with an account', having({ ...image, url: 'https://me@pictures.example/1' })],
    ['an address in another spelling', having({ ...image, url: 'https://PICTURES.example/1' })],
    [
      'a long address',
      having({ ...image, url: `https://m.example/${'a'.repeat(LONGEST.address)}` }),
    ],
    ['an address without a host', having({ ...image, url: '/1' })],
    ['no source', having({ ...image, source: undefined })],
    ['a source that is not a hash', having({ ...image, source: '../../../etc' })],
    ['a source that goes on', having({ ...image, source: 'a'.repeat(12) })],
    ['a fractional id', having({ ...image, id: 1.5 })],
    ['a long label', having({ ...image, label: 'a'.repeat(LONGEST.label + 1) })],
    ['a long plate', { ...shown, vrm: 'a'.repeat(LONGEST.vrm + 1) }],
    ['too many media', having(...Array.from({ length: MOST_ITEMS + 1 }, () => image))],
    ['another time zone', { ...shown, dateUpdated: '2026-03-01T00:00:00+01:00' }],
    ['fractions of a second', { ...shown, dateUpdated: '2026-03-01T00:00:00.5Z' }],
    ['no date', { ...shown, dateUpdated: 'yesterday' }],
  ])('with %s is rejected', (_, text) => {
    expect(publicVehicleSchema.safeParse(text).success).toBe(false);
  });

  it('may be as large as the contract allows', () => {
    const largest = {
      vrm: 'a'.repeat(LONGEST.vrm),
      dateUpdated: '9999-12-31T23:59:59Z',
      media: Array.from({ length: MOST_ITEMS }, () => ({
        ...image,
        label: 'a'.repeat(LONGEST.label),
      })),
    };
    expect(publicVehicleSchema.safeParse(largest).error).toBeUndefined();
  });
});
