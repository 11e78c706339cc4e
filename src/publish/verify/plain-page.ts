import { unescapeHtml } from '../../lib/html.ts';
import { PageReader, READ_ATTRIBUTES } from './page-look.ts';

/** Kinds of characters in markup, by character code. */
const NAME = 2;
const BEGIN = 4;
const SPACE = 8;
const KINDS = new Uint8Array(128);
for (let code = 0; code < KINDS.length; code++) {
  const character = String.fromCharCode(code);
  if (/[\w:.-]/.test(character)) KINDS[code] = NAME;
  if (/[a-zA-Z]/.test(character)) KINDS[code] = NAME + BEGIN;
  if (/[ \t\n\f\r]/.test(character)) KINDS[code] = SPACE;
}
const SLASH = 0x2f;
const EQUALS = 0x3d;
const QUOTE = 0x22;
const END = 0x3e;

const DOCTYPE = /^<!doctype html>/i;

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(' '));

const VOID = setOf('area br col hr img input link meta source track wbr');

/** Elements that contain only text. */
const TEXTS = setOf('script textarea title');

/** Elements that change the parsing of the following markup. This reader does not handle them. */
const OTHERS = setOf(
  'annotation-xml base basefont command desc embed foreignobject frame frameset iframe isindex keygen math mi ' +
    'mn mo ms mtext noembed noframes noscript param plaintext style template xmp',
);

/** Elements that end implicitly when certain others begin. */
const ENDED_BY_OTHERS = setOf(
  'a button datalist dd dt form h1 h2 h3 h4 h5 h6 head li optgroup option p rp rt select tbody td th thead tr',
);

const ENTITY = /&[^;]*;?/g;
const NOT_ASCII = /[^\0-\x7f]/;

/** The text of bytes that were read as Latin-1. */
export const utf8 = (latin1: string): string =>
  NOT_ASCII.test(latin1) ? Buffer.from(latin1, 'latin1').toString('utf8') : latin1;

/** Tokenizer for the markup of templates. Its methods return undefined for other markup. */
class Markup {
  at = 0;
  readonly html: string;

  constructor(html: string) {
    this.html = html;
    this.at = DOCTYPE.exec(html)?.[0].length ?? 0;
  }

  #is(kind: number): boolean {
    return ((KINDS[this.html.charCodeAt(this.at)] ?? 0) & kind) !== 0;
  }

  /** Consumes the next character if it matches. @returns whether it did. */
  passes(code: number): boolean {
    if (this.html.charCodeAt(this.at) !== code) return false;
    this.at++;
    return true;
  }

  name(): string | undefined {
    if (!this.#is(BEGIN)) return undefined;
    const from = this.at;
    while (this.#is(NAME)) this.at++;
    return this.html.slice(from, this.at).toLowerCase();
  }

  /** Reads attributes up to the end of the tag into a list of alternating names and values. */
  attributes(into: string[]): { selfClosing: boolean } | undefined {
    into.length = 0;
    for (;;) {
      const from = this.at;
      while (this.#is(SPACE)) this.at++;
      const selfClosing = this.passes(SLASH);
      if (this.passes(END)) return { selfClosing };
      const key = selfClosing || from === this.at ? undefined : this.name();
      if (key === undefined || into.includes(key)) return undefined;
      const value = this.passes(EQUALS) ? this.#value(READ_ATTRIBUTES.has(key)) : '';
      if (value === undefined) return undefined;
      into.push(key, value);
    }
  }

  #value(isRead: boolean): string | undefined {
    if (!this.passes(QUOTE)) return undefined;
    const end = this.html.indexOf('"', this.at);
    if (end < 0) return undefined;
    const value = this.html.slice(this.at, end);
    this.at = end + 1;
    return isRead ? unescapeHtml(utf8(value)) : value;
  }

  /** Returns the text up to the next tag or the end, and consumes the beginning of that tag. */
  text(): string {
    const next = this.html.indexOf('<', this.at);
    const text = this.html.slice(this.at, next < 0 ? undefined : next);
    this.at = next < 0 ? this.html.length + 1 : next + 1;
    return text;
  }
}

/**
 * Reads a page in the style of templates: properly nested elements, attributes in double quotes, no comments.
 * Such a page needs no error recovery, so reading it takes a quarter of the time of a parser. Returns undefined
 * for any other page, and for unsafe markup.
 *
 * @param html the page's bytes in UTF-8, read as Latin-1.
 */
export function readPlainPage(html: string): PageReader | undefined {
  const page = new PageReader();
  const markup = new Markup(html);
  const open: string[] = [];
  /** Depth of open elements outside the outermost `main` and `svg`. */
  let main = -1;
  let svg = -1;
  /** Whether a piece of text could be read. */
  const isText = (text: string): boolean => {
    if (main < 0 || page.hasText) return true;
    page.hasText = utf8(text).replace(ENTITY, '').trim() !== '';
    // An entity may be a space.
    return page.hasText || !text.includes('&');
  };
  const attributes: string[] = [];
  for (;;) {
    if (!isText(markup.text())) return undefined;
    if (markup.at > html.length) {
      return open.length === 0 && page.unsafe.length === 0 ? page : undefined;
    }
    const closes = markup.passes(SLASH);
    const name = markup.name();
    if (name === undefined) return undefined;
    if (closes) {
      if (open.pop() !== name || !markup.passes(END)) return undefined;
      if (open.length <= main) main = -1;
      if (open.length <= svg) svg = -1;
      continue;
    }
    if (OTHERS.has(name)) return undefined;
    if (ENDED_BY_OTHERS.has(name) && open.includes(name)) return undefined;
    const end = markup.attributes(attributes);
    if (!end) return undefined;
    page.element(name, attributes);
    if (VOID.has(name)) continue;
    if (end.selfClosing) {
      if (svg < 0 && name !== 'svg') return undefined;
      continue;
    }
    if (TEXTS.has(name)) {
      if (svg >= 0 || !isText(markup.text())) return undefined;
      if (!markup.passes(SLASH) || markup.name() !== name || !markup.passes(END)) return undefined;
      continue;
    }
    if (name === 'main' && main < 0) main = open.length;
    if (name === 'svg' && svg < 0) svg = open.length;
    open.push(name);
  }
}
