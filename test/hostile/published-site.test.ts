import { describe, expect, it } from 'vitest';
import { type Instead, startPublishedSite } from '../support/published-site.ts';
import {
  fresh,
  PICTURES,
  published,
  site,
  thumbnails,
  usePublishedWorld,
} from '../support/published-world.ts';

usePublishedWorld();

describe('what is odd is made', () => {
  const card = () => thumbnails().find((file) => file.endsWith('.webp')) ?? '';
  const ROWS: {
    name: string;
    instead: (file: string, bytes: Buffer | undefined) => Instead | undefined;
    /** Pictures that are made all the same. */
    made: number;
    note: RegExp;
  }[] = [
    {
      name: 'a thumbnail with another byte in it',
      instead: (file, bytes) => {
        if (file !== card() || !bytes) return undefined;
        const other = Buffer.from(bytes);
        other.writeUInt8(other.readUInt8(99) ^ 1, 99);
        return { body: other };
      },
      made: 1,
      note: /not used \(1\): they are not as they were made/,
    },
    {
      name: 'a thumbnail that is gone',
      instead: (file) => (file === card() ? { status: 404 } : undefined),
      made: 1,
      note: /its server answered with status 404/,
    },
    {
      name: 'a page in the place of a thumbnail',
      instead: (file) =>
        file === card() ? { body: '<!doctype html><title>Welcome</title>' } : undefined,
      made: 1,
      note: /not used \(1\): they are not as they were made/,
    },
    {
      name: 'thumbnails that are elsewhere',
      instead: (file) =>
        file.startsWith('media/')
          ? { status: 302, headers: { location: `${site.url}/${file}?` } }
          : undefined,
      made: PICTURES,
      note: /not used \(\d+\): it redirects/,
    },
    {
      name: 'a thumbnail that says it is endless',
      instead: (file) =>
        file === card() ? { headers: { 'content-length': 2 ** 40 }, body: 'RIFF' } : undefined,
      made: 1,
      note: /it is larger than/,
    },
    {
      name: 'a host that cuts connections',
      instead: (file) => (file.startsWith('media/') ? { cut: true } : undefined),
      made: PICTURES,
      note: /network fault|does not answer/,
    },
    {
      name: 'a host that falls over',
      instead: (file) => (file.startsWith('media/') ? { status: 503 } : undefined),
      made: PICTURES,
      note: /status 503/,
    },
  ];

  it.each(ROWS)('$name', async ({ instead, made, note }) => {
    site.instead = instead;
    await using again = await fresh({});
    expect(again.error).toBeUndefined();
    expect(again.report.outcome).toBe('published');
    expect(again.counts).toMatchObject({ downloaded: made, failed: 0 });
    expect(again.report.notes.join('\n')).toMatch(note);
    expect(again.files).toEqual(published);
    // A redirect is not followed, not even within the site.
    expect(site.asked.filter((file) => /\?|other/.test(file))).toEqual([]);
  });

  it('a site that does not answer', async () => {
    await using gone = await startPublishedSite();
    await gone.close();
    const { url } = site;
    try {
      site.url = gone.url;
      await using again = await fresh({});
      expect(again.error).toBeUndefined();
      expect(again.counts).toMatchObject({ downloaded: PICTURES, outputsRestored: 0 });
    } finally {
      site.url = url;
    }
  });

  it('thumbnails of other sizes are not asked for', async () => {
    const change = { media: { widths: [96, 200] } };
    await using again = await fresh({ change });
    expect(again.counts).toMatchObject({ downloaded: PICTURES });
    const sizes = site.asked.flatMap((file) => /-(\d+)-[0-9a-f]{6}\./.exec(file)?.[1] ?? []);
    expect(sizes.filter((width) => ['160', '200', '96'].includes(width))).toEqual([]);
  });

  it('another thumbnail under the name of one', async () => {
    const [one = '', other = ''] = thumbnails().filter((file) => file.endsWith('.webp'));
    const bytes = Buffer.from(published.get(other) ?? '', 'latin1');
    site.instead = (file) => (file === one ? { body: bytes } : undefined);
    await using again = await fresh({});
    expect(again.counts).toMatchObject({ downloaded: 1, failed: 0 });
    expect(again.files).toEqual(published);
  });

  it('nothing is taken of what no record speaks of', async () => {
    site.instead = (file) => (file.startsWith('api/records/') ? { status: 404 } : undefined);
    await using again = await fresh({});
    expect(again.counts).toMatchObject({ downloaded: PICTURES, outputsRestored: 0 });
    expect(site.asked.filter((file) => file.startsWith('media/'))).toEqual([]);
  });
});
