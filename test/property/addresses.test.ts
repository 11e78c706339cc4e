import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSafeFile } from '../../src/lib/files/safe-file.ts';
import { vehicleSlug } from '../../src/stock/address.ts';
import { httpAddress } from '../../src/stock/vehicle.ts';
import { anyText, RUNS } from './support.ts';

describe('page URLs', () => {
  it('are one plain name, which differs for two texts, in any letter case', () => {
    const near = anyText.chain((text) =>
      fc.tuple(
        fc.constant(text),
        fc.oneof(
          anyText,
          fc.constantFrom(
            text.toLowerCase(),
            text.toUpperCase(),
            text.trim(),
            ` ${text}`,
            `${text}-`,
            vehicleSlug(text),
            vehicleSlug(text).toUpperCase(),
            text.normalize('NFKC'),
            text.toWellFormed(),
          ),
        ),
      ),
    );
    fc.assert(
      fc.property(near, ([one, other]) => {
        const slug = vehicleSlug(one);
        expect(slug === vehicleSlug(other)).toBe(one === other);
        expect(slug).toMatch(/^[a-z0-9]+(?:-{1,2}[a-z0-9]+)*$/);
        expect(slug.length).toBeLessThanOrEqual(54);
        expect(isSafeFile(`dealer/${slug}/index.html`)).toBe(true);
      }),
      RUNS,
    );
  });
});

describe('URLs of the service', () => {
  const parts = fc.tuple(
    fc.constantFrom(
      'http://',
      'https://',
      'HTTPS://',
      'javascript:',
      'data:',
      '//',
      'https:/',
      'https:\\\\',
      ' https://',
      'ftp://',
      '',
    ),
    fc.oneof(
      anyText,
      fc.constantFrom(
        'a.example',
        'u:p@a.example',
        'a.example:8080',
        '[::1]',
        '127.1',
        '0x7f.1',
        'A.EXAMPLE.',
      ),
    ),
    fc.oneof(anyText, fc.constantFrom('/x.jpg', '/../x', '?a="b"', '#<script>')),
  );

  it('become http(s) in one spelling that no parser changes, or are dropped', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          parts.map((three) => three.join('')),
          anyText,
        ),
        (text) => {
          const address = httpAddress(text);
          if (address === undefined) return;
          const url = new URL(address);
          expect(url.protocol).toMatch(/^https?:$/);
          expect(url.username + url.password).toBe('');
          expect(url.href).toBe(address);
          expect(address).toMatch(/^[\u0021-\u007e]+$/);
          expect(address).not.toMatch(/["<>\\]|\s/);
          expect(httpAddress(address)).toBe(address);
        },
      ),
      RUNS,
    );
  });
});
