import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isSafeFile } from '../../src/lib/files/safe-file.ts';
import { PlannedPaths } from '../../src/render/planned-paths.ts';
import { plateText, textsFor } from '../../src/site/i18n/text.ts';
import { contactsOf } from '../../src/site/views/contacts.ts';
import { vehicleSlug } from '../../src/stock/address.ts';
import { withoutPlate } from '../../src/stock/plate-names.ts';
import { thrownBy } from '../support/thrown.ts';
import { PLATES } from './corpus/plates.ts';

describe('page URLs', () => {
  it.each(PLATES)('of %j are safe', (vrm, slug) => {
    const made = vehicleSlug(vrm);
    if (slug !== undefined) expect(made).toBe(slug);
    expect(made).toMatch(/^[a-z0-9]+(?:-{1,2}[a-z0-9]+)*$/);
    expect(made.length).toBeLessThanOrEqual(54);
    expect(made).not.toMatch(
      /^(?:con|prn|aux|nul|com\d|lpt\d|index|page|media|assets|embed|feed|search|find|withdrawn|sticker|make)$/,
    );
    const file = path.resolve('/out', `northgate/${made}/index.html`);
    expect(path.dirname(path.dirname(file))).toBe('/out/northgate');
    expect(isSafeFile(`northgate/${made}/index.html`)).toBe(true);
  });

  it.each([
    ['(ab) - é1', 'ab-e-1'],
    ['--ab--', 'ab'],
    ['PAGE', 'page'],
    [`${'a'.repeat(39)}-b`, 'a'.repeat(39)],
  ])('of %j begin with its readable characters', (vrm, readable) => {
    expect(vehicleSlug(vrm)).toMatch(new RegExp(`^${readable}--[0-9a-f]{12}$`));
  });
});

describe('planned files', () => {
  const plan = (...files: string[]) => {
    const paths = new PlannedPaths();
    for (const file of files) paths.add(`/${file}`);
  };
  const codeOf = (...files: string[]) => thrownBy(() => plan(...files))?.code;

  it.each([
    '../x/index.html',
    'a/../../x',
    'a/..',
    './a',
    '/etc/passwd',
    'a//b',
    'a/',
    '',
    'a\\b',
    'a b/index.html',
    'a\0',
    'a\nb',
    'con/index.html',
    'a/NUL.txt',
    'a./index.html',
    'a:b',
    'é/index.html',
    '%2e%2e/x',
    'a/{{ x }}',
    '..',
    '...',
  ])('%j is never written', (file) => {
    expect(codeOf('index.html', file)).toBe('address-unsafe');
  });

  it('that differ only in letter case stop the build, and both are named', () => {
    expect(codeOf('a/ab12/index.html', 'a/AB12/index.html')).toBe('address-collision');
    expect(() => plan('a/ab12/index.html', 'a/AB12/index.html')).toThrow(/a\/ab12.*a\/AB12/);
  });

  it('with ordinary names are accepted', () => {
    expect(
      codeOf(
        'index.html',
        '404.html',
        '_headers',
        '.nojekyll',
        'a/b-1/index.html',
        'a/b--0/index.html',
        'assets/site.1a2b.css',
      ),
    ).toBeUndefined();
  });
});

it.each([...PLATES, ['AB1\r\nBcc: all@evil.example'] as const])(
  '%j adds no line to the subject of an e-mail',
  (vrm) => {
    const texts = textsFor('en-GB', 'UTC');
    const vehicle = { fullName: plateText(vrm, 'none'), canonical: 'https://cars.example/x/' };
    const [email] = contactsOf({ contact: { email: 'sales@cars.example' } }, texts, vehicle);
    const subject = new URL(email?.href ?? '').searchParams.get('subject');
    expect(subject).toContain('Enquiry');
    expect(subject).not.toMatch(/[\r\n]/);
  },
);

it('the longest plate is removed from texts within a second', () => {
  const vrm = `${'A'.repeat(999)}B`;
  const almost = 'a'.repeat(20_000);
  const video = {
    kind: 'video' as const,
    id: 1,
    label: `of ${vrm}`,
    playerUrl: 'https://x.example/',
  };
  const start = process.cpuUsage();
  const named = withoutPlate({ vrm, media: [{ ...video, embedHtml: almost }, video] }, () => 'V 1');
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(1000);
  expect(named.media.map(({ label }) => label)).toEqual(['of']);
});
