import { describe, expect, it } from 'vitest';
import { NEUTRAL_FIELD_NAMES } from '../../../src/contract/field-names.ts';
import { acceptAnswer } from '../../../src/stock/accept.ts';

const item = (id: number, more: object = {}) => ({
  id,
  type: 'Image',
  label: `Image ${id}`,
  mediaUrl: `https://p.example/${id}.jpg`,
  ...more,
});
const record = (
  vrm: string,
  mediaList: readonly unknown[] = [],
  dateUpdated = '2026-01-02T03:04:05Z',
) => ({ vrm, dateUpdated, mediaList });
const accept = (...records: readonly unknown[]) => acceptAnswer(records, 7, NEUTRAL_FIELD_NAMES);
const mediaOf = (...items: readonly unknown[]) => accept(record('A1', items)).vehicles[0]?.media;

describe('an item becomes', () => {
  it('a video with the data that its host needs: a URL, only a snippet, or nothing', () => {
    const video = { type: 'VIDEO' };
    const hostedVideoUrl = 'https://h.example/1';
    const hostedVideoEmbedHtml = '<iframe src="https://h.example/1"></iframe>';
    const plain = (id: number) => ({
      kind: 'video',
      id,
      label: `Image ${id}`,
      playerUrl: `https://p.example/${id}.jpg`,
    });
    expect(
      mediaOf(
        item(1, video),
        item(2, { ...video, hostedVideoUrl }),
        item(3, { ...video, hostedVideoEmbedHtml }),
        item(4, { ...video, hostedVideoUrl: '', hostedVideoEmbedHtml: '' }),
      ),
    ).toEqual([
      plain(1),
      { ...plain(2), hostedUrl: hostedVideoUrl },
      { ...plain(3), embedHtml: hostedVideoEmbedHtml },
      plain(4),
    ]);
  });

  it('nothing if its URL is not a web URL, which is reported with its position', () => {
    const { counts, vehicles } = accept(
      record('A1', [item(1), item(2, { mediaUrl: 'ftp://p.example/2' })]),
      record('B'.repeat(30), [item(3, { mediaUrl: 'nowhere' })]),
    );
    expect(vehicles.map(({ media }) => media.map(({ id }) => id))).toEqual([[1], []]);
    expect(counts.items).toEqual({
      received: 3,
      accepted: 1,
      quarantined: 2,
      unknownType: 0,
      duplicates: 0,
    });
    expect(counts.quarantine.map(({ code, path }) => [code, path])).toEqual([
      ['address-not-http', '(A1).mediaList[1].mediaUrl'],
      ['address-not-http', `(${'B'.repeat(20)}).mediaList[0].mediaUrl`],
    ]);
  });
});

describe('a response', () => {
  it('has each picture of a vehicle once, at its first position, and counts others', () => {
    const sameUrl = item(3, { mediaUrl: item(1).mediaUrl });
    const video = item(4, { type: 'Video' });
    const items = [item(2), item(1), sameUrl, video, { ...video, id: 5 }, item(2), video];
    const { vehicles, counts } = accept(record('A1', items), record('B2', [item(2)]));
    expect(vehicles.map(({ media }) => media.map(({ id }) => id))).toEqual([[2, 1, 4], [2]]);
    expect(counts.items).toMatchObject({ received: 8, accepted: 8, duplicates: 4 });
  });

  it('has one vehicle per plate and URL: the newest, or the last of equally new ones', () => {
    const old = '2026-01-01T00:00:00Z';
    const now = '2026-01-02T00:00:00Z';
    const labels = (...records: readonly unknown[]) =>
      accept(...records).vehicles.map(({ media }) => media[0]?.label);
    const first = item(1, { label: 'first' });
    const second = item(1, { label: 'second' });
    expect(labels(record('A', [first], old), record('A', [second], now))).toEqual(['second']);
    expect(labels(record('A', [first], now), record('A', [second], old))).toEqual(['first']);
    expect(labels(record('A', [first], now), record('A', [second], now))).toEqual(['second']);
    // The last two have the same URL. An attacker finds such plates in minutes.
    const { counts } = accept(...['A', 'B', 'A', '姊塀丁', '埬寑丁'].map((vrm) => record(vrm)));
    expect(counts.vehicles).toMatchObject({ accepted: 5, duplicates: 2 });
    expect(counts.duplicateVrms).toEqual(['A', '埬寑丁']);
  });
});
