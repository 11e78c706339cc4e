import { expect, it } from 'vitest';
import { defineExtension, type PagesInput } from '../../../src/site/extend.ts';

const rest = { path: '/about/', template: 'pages/about.njk', description: 'Hours' };

it('an extension has its own data, with its own types, in its pages', () => {
  const { pages } = defineExtension({
    data: async () => ({ hours: ['nine', 'five'] }),
    pages: ({ data }) => [{ ...rest, title: data.hours.join(' to ') }],
  });
  defineExtension({
    data: () => ({ hours: 8 }),
    // @ts-expect-error: a number is no title, and the compiler says so.
    pages: ({ data }) => [{ ...rest, title: data.hours }],
  });
  const input = { data: { hours: ['nine', 'five'] } } as PagesInput<{ hours: string[] }>;
  expect(pages?.(input)).toEqual([{ ...rest, title: 'nine to five' }]);
});
