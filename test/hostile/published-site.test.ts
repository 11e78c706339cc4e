import { describe, expect, it } from 'vitest';
import {
  emptyNight,
  first,
  later,
  published,
  thumbnails,
  useLaterNight,
} from '../support/later-night.ts';
import type { Instead } from '../support/published-site.ts';

useLaterNight();

/** Thumbnails by picture. */
const byPicture = () => Map.groupBy(thumbnails(), (file) => file.slice(0, 'media/00/'.length + 18));

describe('a published site with damaged files', () => {
  it('with single damaged thumbnails, each in another way', async () => {
    // One thumbnail of each picture.
    const odd = [...byPicture().values()].map(([file = '']) => file);
    const other = Buffer.from(published.get(odd[1] ?? '') ?? '', 'latin1');
    const answers: ((file: string, bytes: Buffer) => Instead)[] = [
      (_, bytes) => {
        const altered = Buffer.from(bytes);
        altered.writeUInt8(altered.readUInt8(99) ^ 1, 99);
        return { body: altered };
      },
      () => ({ status: 404 }),
      () => ({ body: '<!doctype html><title>Welcome</title>' }),
      () => ({ body: other }),
      (file) => ({ status: 302, headers: { location: `${later.site.url}/${file}?` } }),
      () => ({ headers: { 'content-length': 2 ** 40 }, body: 'RIFF' }),
    ];
    later.site.instead = (file, bytes) =>
      answers[odd.indexOf(file)]?.(file, bytes ?? Buffer.alloc(0));
    const again = await emptyNight();
    expect(again.error).toBeUndefined();
    const { length } = answers;
    expect(again.counts).toMatchObject({ downloaded: length, outputsMade: length, failed: 0 });
    const notes = again.report.notes.join('\n');
    expect(notes).toMatch(/not used \(3\): their bytes have changed/);
    expect(notes).toMatch(/not used \(1\): its server responded with status 404/);
    expect(notes).toMatch(/not used \(1\): it redirects/);
    expect(notes).toMatch(/not used \(1\): it is larger than/);
    expect(again.files).toEqual(first.files);
    // A redirect is not followed, not even within the site.
    expect(later.site.asked.filter((file) => file.includes('?'))).toEqual([]);
  });

  it.each<[string, Instead, RegExp]>([
    [
      'cuts connections',
      { cut: true },
      /the connection was (?:reset|closed early)|does not answer/,
    ],
    ['falls over', { status: 503 }, /status 503/],
    [
      'has moved',
      { status: 301, headers: { location: 'https://www.cars.example/media/?key=1' } },
      /it redirects to https:\/\/www\.cars\.example(?!\/)/,
    ],
  ])('on a host that %s', async (_, answer, note) => {
    later.site.instead = (file) => (file.startsWith('media/') ? answer : undefined);
    const again = await emptyNight();
    expect(again.error).toBeUndefined();
    expect(again.report.outcome).toBe('published');
    expect(again.counts).toMatchObject({ downloaded: byPicture().size, failed: 0 });
    expect(again.report.notes.join('\n')).toMatch(note);
    expect(again.files).toEqual(first.files);
  });

  it('on a host that lost the site, which the report explains', async () => {
    later.site.instead = () => ({ status: 404 });
    const again = await emptyNight();
    expect(again.report.notes).toEqual([
      expect.stringContaining(
        `Nothing is published at ${later.site.url}, so this is a first build`,
      ),
    ]);
    expect(again.counts).toMatchObject({ downloaded: byPicture().size, outputsRestored: 0 });
    expect(later.site.asked.filter((file) => file.startsWith('media/'))).toEqual([]);
  });

  it('with thumbnails of other sizes, which are not requested', async () => {
    const change = { media: { widths: [96, 200] } };
    const again = await emptyNight(0, {}, change);
    expect(again.counts).toMatchObject({ downloaded: byPicture().size });
    const sizes = later.site.asked.flatMap((file) => /-(\d+)-[0-9a-f]{6}\./.exec(file)?.[1] ?? []);
    expect(sizes.filter((width) => ['160', '200', '96'].includes(width))).toEqual([]);
  });
});
