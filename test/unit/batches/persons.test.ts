import { expect, test } from 'vitest';
import {
  contactOf,
  identifiersIn,
  isImpersonal,
  normalisePhone,
} from '../../../src/batches/model/persons.ts';
import { batchRecord } from '../../support/batch-record.ts';

test.each([
  ['+44 (0)7700 900123', undefined, '+447700900123'],
  ['0044 7700 900123', undefined, '+447700900123'],
  ['07700 900123', '44', '+447700900123'],
  ['07700 900123', undefined, '07700900123'],
  ['٠٧٧', undefined, ''],
])('the number %s with calling code %s is %s', (text, code, expected) => {
  expect(normalisePhone(text, code)).toBe(expected);
});

test('identifiers are found in any field', () => {
  const record = batchRecord({
    BatchId: 447700900999,
    MarketingContactId: 447700900998,
    RecipientEmail: 'Ann@Example.com',
    Title: 'call +44 7700 900123, or write to bob@example.com.',
    Data: { nested: [{ 'eve@example.com': true }], phone: 447700900777 },
  });
  const identifiers = [...identifiersIn(record)];
  expect(identifiers).toEqual(
    expect.arrayContaining([
      'email:ann@example.com',
      'email:bob@example.com',
      'email:eve@example.com',
      'phone:700900123',
      'phone:700900777',
    ]),
  );
  expect(identifiers.join(' ')).not.toMatch(/99[89]\b/);
  expect(identifiersIn({ SendingUserName: { toString: 1 } })).toEqual(new Set());
});

test.each([
  ["o'brien@example.com", "email:o'brien@example.com"],
  ['sales/ann@example.com', 'email:sales/ann@example.com'],
  ["l'adresse d'ann@example.com", 'email:ann@example.com'],
  ['“ann@example.com”', 'email:ann@example.com'],
  ['?mail=ann@example.com&to=x', 'email:ann@example.com'],
  ['https://x.example/?mail=ann%2Bvan%40example.com', 'email:ann+van@example.com'],
  ['{"mail":"o\\u0027brien\\u002Bcars@example.com"}', "email:o'brien@example.com"],
  ['o&#39;brien@example.com or ann&#x40;example.com', "email:o'brien@example.com"],
  ['o&#39;brien@example.com or ann&#x40;example.com', 'email:ann@example.com'],
  ['ann＠example.com', 'email:ann@example.com'],
  ['ann+cars@example.com', 'email:ann@example.com'],
  ['ann+cars@example.com', 'email:ann+cars@example.com'],
  ['to ann@xn--mller-kva.de.', 'email:ann@müller.de'],
  ['\u202aann\u200b@exam\u00adple.com\u202c', 'email:ann@example.com'],
  ['07700 900123/07700 900456', 'phone:700900123'],
  ['07700 900123/07700 900456', 'phone:700900456'],
  ['call 07700 900123 2019 Ford', 'phone:700900123'],
  ['+44 (0)7700 900123 (2026-03-01)', 'phone:700900123'],
  ['?tel=%2B447700900123', 'phone:700900123'],
  ['{"tel":"\\u002B45 20123456"}', 'phone:20123456'],
  // Numbers with less than nine digits after the calling code.
  ['+49 30 123456', 'phone:30123456'],
  ['030/123456', 'phone:30123456'],
  ['0045 20 12 34 56', 'phone:20123456'],
  ['+45 20123456', 'phone:520123456'],
  ['+372 512 3456', 'phone:5123456'],
  ['\u202d+44\u200b7700\u2060900123\u202c', 'phone:700900123'],
])('in %j, %s is found', (Title, identifier) => {
  expect(identifiersIn({ Title })).toContain(identifier);
});

test.each(['07700,900123', "07700'900'123", '07700·900123', '07700 x 900 123', '07700_900123'])(
  'the recipient with the number %s is found like the contact with it',
  (RecipientMobile) => {
    expect(identifiersIn({ RecipientMobile })).toContain('phone:700900123');
    expect(contactOf(batchRecord({ BatchId: 1, RecipientEmail: '', RecipientMobile }))).toBe(
      '07700900123',
    );
  },
);

test.each([
  ['accepted', true],
  [5, true],
  [-2499.5, true],
  [2_499_900, true],
  // Times in seconds and milliseconds.
  [1_767_607_200, true],
  [1_767_607_200_000, true],
  [447_700_900_777, false],
  [7_700_900_777, false],
  [612_345_678, false],
  ['2026-01-05T10:00:00Z', true],
  ['ann@example.com', false],
  ['x'.repeat(65), false],
  [{ a: 1 }, false],
])('%j is impersonal: %s', (value, expected) => {
  expect(isImpersonal(value)).toBe(expected);
});

test.each(['.'.repeat(1e6), `${'xn--x'.repeat(2e5)}@`])('reads long addresses: %#', (domain) => {
  const RecipientEmail = `a@${domain}b`;
  expect(contactOf(batchRecord({ BatchId: 1, RecipientEmail }))).toBe(RecipientEmail);
  expect(identifiersIn({ Title: RecipientEmail })).toHaveProperty('size', 1);
  expect(normalisePhone(`${'\u0301\u0323'.repeat(2e5)}5`)).toBe('5');
});
