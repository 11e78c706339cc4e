import { expect, test } from 'vitest';
import { escapeHtml, unescapeHtml } from '../../../src/lib/html.ts';

test('text of the service cannot become markup', () => {
  expect(escapeHtml(`<b a="x" c='y'>&`)).toBe('&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;');
});

test.each([
  ['&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;lt;', `<b a="x" c='y'>&lt;`],
  ['plain', 'plain'],
  ['a & b', undefined],
  ['&amp', undefined],
  ['&nbsp;&amp;', undefined],
  ['&amp;&#x3c;', undefined],
])('only text escaped this way is unescaped: %s', (text, plain) => {
  expect(unescapeHtml(text)).toBe(plain);
});
