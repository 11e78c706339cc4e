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

  it('may begin with a dot', () => {
    expect(codeOf('.nojekyll')).toBeUndefined();
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

it.each(['A'.repeat(999), 'É'.repeat(12)])(
  'the plate %sB is removed from texts within a second',
  (start) => {
    const vrm = `${start}B`;
    const almost = start.normalize('NFD').charAt(0).toLowerCase().repeat(20_000);
    const video = {
      kind: 'video' as const,
      id: 1,
      label: `of ${vrm}`,
      playerUrl: 'https://x.example/',
    };
    const began = process.cpuUsage();
    const media = [{ ...video, embedHtml: almost }, video];
    const named = withoutPlate({ vrm, media }, () => 'V 1');
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1000).toBeLessThan(1000);
    expect(named.media.at(-1)?.label).toBe('of');
  },
);
