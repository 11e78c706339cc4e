import { Parser } from 'htmlparser2';
import { PageReader } from './page-look.ts';
import { readPlainPage } from './plain-page.ts';

export type Page = Pick<PageReader, 'links' | 'hasHeading' | 'hasText' | 'unsafe' | 'outside'>;

/** Reads the facts of a page that the checks before publishing need. */
export const readPage = (html: string): Page => readPlainPage(html) ?? parsePage(html);

/** The same for any markup, parsed as a browser parses it. */
export function parsePage(html: string): Page {
  const page = new PageReader();
  let inMain = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'main' || inMain > 0) inMain++;
      page.element(name, Object.entries(attributes).flat());
    },
    ontext(text) {
      if (inMain > 0 && text.trim() !== '') page.hasText = true;
    },
    onclosetag() {
      if (inMain > 0) inMain--;
    },
  });
  parser.write(html);
  parser.end();
  return page;
}
