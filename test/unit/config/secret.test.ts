import nunjucks from 'nunjucks';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { escapeHtml } from '../../../src/lib/html.ts';
import { jsonForScript } from '../../../src/site/views/json-ld.ts';

const value = 'k&y <"with"> \\odd/+chars=é';
const secret = new Secret(value);

describe('Secret', () => {
  it.each([
    ['raw', value],
    ['percent-encoded', encodeURIComponent(value)],
    [
      'percent-encoded in small letters',
      encodeURIComponent(value).replace(/%../g, (c) => c.toLowerCase()),
    ],
    ['form-encoded', new URLSearchParams({ v: value }).toString()],
    ['in JSON', JSON.stringify({ v: value })],
    ['in JSON of a script', jsonForScript({ v: value })],
    ['in HTML', escapeHtml(value)],
    ['in HTML of a template', nunjucks.renderString('{{ value }}', { value })],
    ['base64', Buffer.from(value).toString('base64')],
    ['base64url', Buffer.from(value).toString('base64url')],
    ['base64 of a longer text', Buffer.from(`Bearer ${value} and more`).toString('base64')],
    ['hex', Buffer.from(value).toString('hex')],
  ])('is found %s', (_, text) => {
    expect(secret.occursIn(`before ${text} after`)).toBe(true);
    expect(secret.redact(`before ${text} after`)).toContain('[secret]');
  });

  it('is not found in other text', () => {
    expect(secret.occursIn('key with odd chars')).toBe(false);
    expect(new Secret('').occursIn('anything')).toBe(false);
    expect(new Secret('ab').forms()).toEqual([]);
  });
});

it('is equal to a secret with the same value only, in toEqual', () => {
  expect({ key: new Secret('one') }).toEqual({ key: new Secret('one') });
  expect({ key: new Secret('one') }).not.toEqual({ key: new Secret('two') });
});
