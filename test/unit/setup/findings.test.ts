import { expect, it } from 'vitest';
import { finding } from '../../../src/setup/findings.ts';

it('makes text of the service safe for a terminal', () => {
  const shown = finding('unknown-fields', {}, 'A\u001b[2J: ::error::x', { why: '\u001b' });
  expect(shown.what + shown.why).not.toContain('\u001b');
});
