import { expect, it } from 'vitest';
import { netlifyForms } from '../../../src/site/documents/netlify-forms.ts';
import { inListOrder, newestFirst } from '../../../src/site/views/list-views.ts';

it('a list begins with chosen vehicles, then the newest, and ends with sold ones', () => {
  const vehicles = [
    { name: 'sold', date: '3', status: 'sold' as const },
    { name: 'old', date: '1' },
    { name: 'second', date: '1', order: 2 },
    { name: 'new-b', date: '2' },
    { name: 'new-a', date: '2', status: 'reserved' as const },
    { name: 'first', date: '1', order: 1, status: 'sold' as const },
  ];
  type One = { name: string; date: string; order?: number; status?: 'sold' | 'reserved' };
  const byDate = newestFirst<One>(
    ({ date }) => date,
    ({ name }) => name,
  );
  const order = inListOrder<One>(({ order, status }) => ({ order, status }), byDate);
  expect([...vehicles].sort(order).map(({ name }) => name)).toEqual([
    'first',
    'second',
    'new-a',
    'new-b',
    'old',
    'sold',
  ]);
});

it('the page for Netlify declares the forms of the site and of its dealers once', () => {
  const dealers = [{}, {}, { enquiry: { netlify: 'own' } }] as never;
  const [page] = netlifyForms({ site: { enquiry: { netlify: 'site' } } as never, dealers });
  expect(String(page?.content).match(/<form name="\w+/g)).toEqual([
    '<form name="own',
    '<form name="site',
  ]);
});

it('counting the vehicles of 200 makes reads each value once, so that a phone shows thousands at once', async () => {
  const script = '../../../templates/assets/list/facets.js';
  const { facetsOf, countRows } = await import(script);
  let reads = 0;
  const rows = Array.from({ length: 2000 }, (_, at) => {
    const facts: Record<string, string | number> = { make: `Make ${at % 200}`, price: 1000 + at };
    const of = (name: string) => {
      reads++;
      return facts[name] ?? '';
    };
    return { of };
  });
  const words = { from: 'From {value}', to: 'Up to {value}' };
  const labels = { make: 'Make', price: 'Price' };
  const [make, from, to] = facetsOf({ rows, names: {} }, labels, { lang: 'en', words });
  make.chosen.add('MAKE7').add('MAKE8');
  from.chosen.add('2000');
  reads = 0;
  const countOf = countRows(rows, [make, from, to]);
  const counts = [
    countOf(make, 'MAKE7'),
    countOf(make, 'MAKE9'),
    countOf(from, '1250'),
    countOf(to, '2500'),
  ];
  expect(counts).toEqual([5, 5, 16, 6]);
  expect(reads).toBeLessThan(6 * rows.length);
});
