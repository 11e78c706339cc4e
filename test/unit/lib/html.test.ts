import { expect, test } from 'vitest';
import { escapeHtml } from '../../../src/lib/html.ts';

test('text of the service cannot become markup', () => {
  expect(escapeHtml(`<b a="x" c='y'>&`)).toBe('&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;');
});
