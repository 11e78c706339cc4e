import type { Texts } from '../i18n/text.ts';
import type { DealerContext } from './context.ts';
import type { CardView, ListView, PageLink } from './list-types.ts';
import { listPaths, pageAt } from './site-url.ts';

/** Number of cards that most devices show without scrolling. They are not loaded lazily. */
const EAGER = 4;

/** Cards of one page, the first of them not lazy. */
export const withEager = (cards: readonly CardView[]): CardView[] =>
  cards.map((card, index) => (index < EAGER ? { ...card, eager: true } : card));

/** Page numbers of a pagination: first, last, those around the current page, and halfway. Undefined is a gap. */
function pageNumbers(current: number, total: number): (number | undefined)[] {
  const halfway = [1, total].map((end) => Math.round((current + end) / 2));
  const candidates = [1, current - 1, current, current + 1, total, ...halfway];
  const numbers = [...new Set(candidates)]
    .filter((number) => number >= 1 && number <= total)
    .sort((a, b) => a - b);
  return numbers.flatMap((number, index) => {
    const previous = numbers[index - 1] ?? 0;
    if (number - previous === 2) return [number - 1, number];
    return number - previous > 2 ? [undefined, number] : [number];
  });
}

/** Links of a pagination. Empty if there is one page. @param urls of all pages. */
function pageLinks(
  current: number,
  urls: readonly string[],
  { words, fill, number }: Texts,
): PageLink[] {
  if (urls.length < 2) return [];
  return pageNumbers(current, urls.length).map((n) =>
    n === undefined
      ? { text: '…', label: '', url: undefined, current: false }
      : {
          text: number(n),
          label: fill(words.page, { n: number(n) }),
          url: n === current ? undefined : urls[n - 1],
          current: n === current,
        },
  );
}

/** One page of a list: its URLs, cards and links. */
interface CardPage {
  /** From 1. */
  current: number;
  at: ReturnType<typeof pageAt>;
  /** Such as "Page 2 of 3". Empty on the first page. */
  pageText: string;
  list: Pick<ListView, 'cards' | 'pages' | 'previous' | 'next'>;
}

/**
 * Splits cards into pages, at least one.
 *
 * @param path of the first page, with slashes at both ends. @param first the URL to which links to it lead.
 */
export function paginate(
  cards: readonly CardView[],
  path: string,
  { place, perPage, texts }: DealerContext,
  first = `${place.base}${path}`,
): CardPage[] {
  const { words, fill, number } = texts;
  const paths = listPaths(path, cards.length, perPage);
  const urls = paths.map((pagePath, index) => (index === 0 ? first : `${place.base}${pagePath}`));
  return paths.map((pagePath, index) => {
    const current = index + 1;
    return {
      current,
      at: pageAt(place, pagePath),
      pageText:
        current === 1
          ? ''
          : fill(words.pageOf, { n: number(current), total: number(paths.length) }),
      list: {
        cards: withEager(cards.slice(index * perPage, current * perPage)),
        pages: pageLinks(current, urls, texts),
        previous: urls[index - 1],
        next: urls[current],
      },
    };
  });
}
