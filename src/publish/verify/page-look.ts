import type { Directive } from '../../config/opened-sources.ts';

const LINK_ATTRIBUTES = new Map<string, readonly string[]>([
  ['a', ['href', 'data-larger']],
  ['link', ['href']],
  ['img', ['src', 'srcset']],
  ['source', ['src', 'srcset']],
  ['script', ['src']],
  ['iframe', ['src']],
  ['video', ['src', 'poster']],
]);

/** Attributes whose value is an address that a browser may follow or run. */
const ADDRESSES = new Set(['href', 'xlink:href', 'src', 'action', 'formaction', 'data', 'poster']);

/** Attributes whose value is a list of addresses and widths. */
const LISTS = new Set(['srcset', 'data-larger']);

/** Attributes whose value is checked. */
export const READ_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...ADDRESSES,
  ...LISTS,
  'type',
  'rel',
]);

/** Browsers drop these from an address before they read its scheme. */
const DROPPED = /[\p{Cc}\s]/gu;
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
const SAFE_SCHEMES = new Set(['http', 'https', 'mailto', 'tel', 'sms']);

/** Elements that run or embed something and that no page of ours has. */
const REFUSED_ELEMENTS = new Set(['base', 'object', 'embed', 'applet', 'style']);

/** What runs in a page, changes its looks or takes what people type, wherever it comes from. */
const POWERS = {
  script: ['src', 'script-src'],
  link: ['href', 'style-src'],
  form: ['action', 'form-action'],
  button: ['formaction', 'form-action'],
  input: ['formaction', 'form-action'],
} as const satisfies Record<string, readonly [attribute: string, directive: Directive]>;

/** An address that the policy of the page has to allow. */
export interface Outside {
  element: string;
  directive: Directive;
  address: string;
}

/** Scripts that are data. */
const DATA_TYPES = new Set(['application/ld+json', 'application/json', 'speculationrules']);

/** The scheme of an address. Undefined where it has none. */
function schemeOf(address: string): string | undefined {
  // Most addresses are of our own site. This check takes a tenth of the time of the full one.
  if (address.startsWith('/') || address.startsWith('#')) return undefined;
  return SCHEME.exec(address.replace(DROPPED, ''))?.[1]?.toLowerCase();
}

/** Collects facts of a page, element by element. */
export class PageReader {
  readonly links: string[] = [];
  hasHeading = false;
  hasText = false;
  /** Scripts, style sheets and forms with an absolute address. */
  readonly outside: Outside[] = [];
  /** Markup that our pages never have: it would be there only if a text got through unescaped. */
  readonly unsafe: string[] = [];

  /** @param attributes names in lower case, each once, and behind each its value. */
  element(name: string, attributes: readonly string[]): void {
    if (name === 'h1') this.hasHeading = true;
    if (REFUSED_ELEMENTS.has(name)) this.unsafe.push(`<${name}>`);
    if (name === 'script') this.#script(attributes);
    if (name in POWERS) this.#power(name as keyof typeof POWERS, attributes);
    const links = LINK_ATTRIBUTES.get(name);
    for (let index = 0; index < attributes.length; index += 2) {
      const key = attributes[index] ?? '';
      const value = attributes[index + 1] ?? '';
      if (key.startsWith('on') || key === 'style' || key === 'srcdoc') {
        this.unsafe.push(`<${name} ${key}>`);
      } else if (ADDRESSES.has(key)) this.#address(name, key, value);
      if (!links?.includes(key)) continue;
      if (!LISTS.has(key)) this.links.push(value);
      else {
        for (const entry of value.split(',')) {
          this.links.push(entry.trim().split(/\s+/, 1)[0] ?? '');
        }
      }
    }
  }

  #script(attributes: readonly string[]): void {
    let type = '';
    for (let index = 0; index < attributes.length; index += 2) {
      if (attributes[index] === 'src') return;
      if (attributes[index] === 'type') type = attributes[index + 1] ?? '';
    }
    if (!DATA_TYPES.has(type)) this.unsafe.push('an inline script');
  }

  #power(element: keyof typeof POWERS, attributes: readonly string[]): void {
    const [wanted, directive] = POWERS[element];
    let address = '';
    let isSheet = element !== 'link';
    for (let index = 0; index < attributes.length; index += 2) {
      const value = attributes[index + 1] ?? '';
      if (attributes[index] === wanted) address = value;
      if (attributes[index] === 'rel') isSheet ||= /\bstylesheet\b/i.test(value);
    }
    // Most are of our own site.
    if (!isSheet || address === '' || /^[/#?](?![/\\])/.test(address)) return;
    this.outside.push({ element, directive, address });
  }

  #address(name: string, key: string, value: string): void {
    const scheme = schemeOf(value);
    if (scheme === undefined || SAFE_SCHEMES.has(scheme)) return;
    const isPicture = name === 'img' || name === 'source' || name === 'link';
    if (!(scheme === 'data' && isPicture)) this.unsafe.push(`<${name} ${key}="${scheme}:…">`);
  }
}
