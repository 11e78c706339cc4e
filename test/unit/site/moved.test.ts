import { expect, it } from 'vitest';
import { movedIndex } from '../../../src/site/documents/moved.ts';
import type { DealerSummary } from '../../../src/site/views/summaries.ts';

it('moved.json leads from withdrawn vehicles only to dealers that list them now', () => {
  const dealer = (slug: string, listed: string[], withdrawn: string[]) =>
    ({ link: { slug }, cards: listed.map((slug) => ({ slug })), withdrawn }) as DealerSummary;
  const dealers = [
    dealer('north', ['a1'], ['c3', 'b2', 'sold']),
    dealer('south', ['b2', 'c3'], ['sold', 'c3']),
  ];
  expect(movedIndex(dealers)).toBe('{"b2":"south","c3":"south"}\n');
});
