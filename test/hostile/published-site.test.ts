import { describe, expect, it } from 'vitest';
import { type Instead, startPublishedSite } from '../support/published-site.ts';
import {
  forged,
  fresh,
  isList,
  list,
  listFile,
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
      note: /not used \(pictures: 1\): they are not what its list says/,
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
      note: /they are no pictures/,
    },
    {
      name: 'thumbnails that are elsewhere',
      instead: (file) =>
        file.startsWith('media/')
          ? { status: 302, headers: { location: `${site.url}/${file}?` } }
          : undefined,
      made: PICTURES,
      note: /\(pictures: 6\): it redirects/,
    },
    {
      name: 'a thumbnail that says it is endless',
      instead: (file) =>
        file === card() ? { headers: { 'content-length': 2 ** 40 }, body: 'RIFF' } : undefined,
      made: 1,
      note: /it is larger than/,
    },
    {
      name: 'a torn list',
      instead: (file) => (isList(file) ? { body: list().slice(0, -100) } : undefined),
      made: PICTURES,
      note: /not used \(dealers: 1\): it is damaged/,
    },
    {
      name: 'a list with one letter changed',
      instead: (file) => {
        const changed = list().replace(/(?<="[0-9a-f]{19})./, (last) => (last === '0' ? '1' : '0'));
        return isList(file) ? { body: changed } : undefined;
      },
      made: PICTURES,
      note: /it is damaged/,
    },
    {
      name: 'a list of another form',
      instead: (file) =>
        isList(file) ? { body: forged(list(), '"version":1', '"version":2') } : undefined,
      made: PICTURES,
      note: /it is of another version/,
    },
    {
      name: 'a list with a name that leads elsewhere',
      instead: (file) =>
        isList(file)
          ? { body: forged(list(), /"[0-9a-f]{20}"/, '"../../../../../../x"') }
          : undefined,
      made: PICTURES,
      note: /it is damaged/,
    },
    {
      name: 'a list of another encoder',
      instead: (file) =>
        isList(file)
          ? { body: forged(list(), /"groups":\["[^"]*"/, '"groups":["AAAAAAAAAAAA"') }
          : undefined,
      made: PICTURES,
      note: /they were made in another way/,
    },
    {
      name: 'no list',
      instead: (file) => (isList(file) ? { status: 404 } : undefined),
      made: PICTURES,
      note: /\(dealers: 1\): its server answered with status 404/,
    },
    {
      name: 'a page in the place of the list',
      instead: (file) => (isList(file) ? { body: '<!doctype html><p>Hello' } : undefined),
      made: PICTURES,
      note: /it is damaged, or something else/,
    },
    {
      name: 'a list that is elsewhere',
      instead: (file) =>
        isList(file) ? { status: 301, headers: { location: '/other.json' } } : undefined,
      made: PICTURES,
      note: /it redirects/,
    },
    {
      name: 'a list that says it is endless',
      instead: (file) =>
        isList(file) ? { headers: { 'content-length': 2 ** 30 }, body: '{' } : undefined,
      made: PICTURES,
      note: /it is larger than/,
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
      expect(again.report.notes.join()).toMatch(/network fault ECONNREFUSED/);
    } finally {
      site.url = url;
    }
  });

  it('pictures of other widths', async () => {
    const change = { media: { widths: [160, 240], fallbackWidth: 160 } };
    await using again = await fresh({ change });
    expect(again.counts).toMatchObject({ downloaded: PICTURES, outputsRestored: 0 });
    expect(site.asked).toEqual(['dealer-1/media.json', listFile()]);
  });
});
