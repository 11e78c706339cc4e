import { Parser } from 'htmlparser2';

const LINK_ATTRIBUTES = new Map<string, readonly string[]>([
  ['a', ['href']],
  ['link', ['href']],
  ['img', ['src', 'srcset']],
  ['source', ['src', 'srcset']],
  ['script', ['src']],
  ['iframe', ['src']],
  ['video', ['src', 'poster']],
]);

/** Attributes whose value is an address that a browser may follow or run. */
const ADDRESSES = new Set(['href', 'xlink:href', 'src', 'action', 'formaction', 'data', 'poster']);

/** Browsers drop these from an address before they read its scheme. */
const DROPPED = /[\p{Cc}\s]/gu;
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
const SAFE_SCHEMES = new Set(['http', 'https', 'mailto', 'tel', 'sms']);

/** Elements that run or embed something and that no page of ours has. */
const FOREIGN_ELEMENTS = new Set(['base', 'object', 'embed', 'applet', 'style']);

/** Scripts that are data. */
const DATA_TYPES = new Set(['application/ld+json', 'application/json']);

export interface Page {
  links: string[];
  hasHeading: boolean;
  hasText: boolean;
  /** Markup that our pages never have: it would be there only if a text got through unescaped. */
  unsafe: string[];
}

function* unsafeMarkup(name: string, attributes: Record<string, string>): Iterable<string> {
  if (FOREIGN_ELEMENTS.has(name)) yield `<${name}>`;
  if (name === 'script' && !('src' in attributes) && !DATA_TYPES.has(attributes.type ?? '')) {
    yield 'an inline script';
  }
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on') || key === 'style' || key === 'srcdoc') {
      yield `<${name} ${key}>`;
      continue;
    }
    const scheme = ADDRESSES.has(key)
      ? SCHEME.exec(value.replace(DROPPED, ''))?.[1]?.toLowerCase()
      : undefined;
    if (scheme === undefined || SAFE_SCHEMES.has(scheme)) continue;
    const isPicture = name === 'img' || name === 'source' || name === 'link';
    if (!(scheme === 'data' && isPicture)) yield `<${name} ${key}="${scheme}:…">`;
  }
}

/** What the check of a finished site must know of a page. */
export function readPage(html: string): Page {
  const page: Page = { links: [], hasHeading: false, hasText: false, unsafe: [] };
  let inMain = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'main' || inMain > 0) inMain++;
      if (name === 'h1') page.hasHeading = true;
      page.unsafe.push(...unsafeMarkup(name, attributes));
      for (const attribute of LINK_ATTRIBUTES.get(name) ?? []) {
        const value = attributes[attribute];
        if (value === undefined) continue;
        if (attribute !== 'srcset') page.links.push(value);
        else
          page.links.push(...value.split(',').map((entry) => entry.trim().split(/\s+/)[0] ?? ''));
      }
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
