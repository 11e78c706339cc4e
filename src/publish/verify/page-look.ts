import type { Directive } from '../../config/opened-sources.ts';

/**
 * Attributes with links. Of URLs that a browser loads only if the page's policy allows them, the directive of that
 * policy.
 */
const LINKS: ReadonlyMap<string, Readonly<Record<string, Directive | undefined>>> = new Map([
  ['a', { href: undefined, 'data-larger': undefined }],
  ['link', { href: undefined }],
  ['script', { src: undefined }],
  ['img', { src: 'img-src', srcset: 'img-src' }],
  ['source', { src: 'media-src', srcset: 'img-src' }],
  ['iframe', { src: 'frame-src' }],
  ['video', { src: 'media-src', poster: 'img-src' }],
  ['audio', { src: 'media-src' }],
]);

/** Attributes with a URL that a browser may load, follow or run. */
const ADDRESSES = new Set(['href', 'xlink:href', 'src', 'action', 'formaction', 'data', 'poster']);

/** Attributes with a list of URLs and widths. */
const LISTS = new Set(['srcset', 'data-larger']);

/** Attributes with checked values. */
export const READ_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...ADDRESSES,
  ...LISTS,
  'id',
  'type',
  'rel',
]);

/** Browsers remove these from a URL before they read its scheme. */
const DROPPED = /[\p{Cc}\s]/gu;
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
const SAFE_SCHEMES = new Set(['http', 'https', 'mailto', 'tel', 'sms']);

/** Elements that run or embed something. Built-in templates never use them. */
const REFUSED_ELEMENTS = new Set(['base', 'object', 'embed', 'applet', 'style']);

/** Attributes whose URLs can run code, change styles or receive form data. */
const POLICY_ATTRIBUTES = {
  script: ['src', 'script-src'],
  link: ['href', 'style-src'],
  form: ['action', 'form-action'],
  button: ['formaction', 'form-action'],
  input: ['formaction', 'form-action'],
} as const satisfies Record<string, readonly [attribute: string, directive: Directive]>;

/** A URL that the page's policy must allow. */
export interface Outside {
  element: string;
  directive: Directive;
  address: string;
  /** Sources in the page's policy. Undefined: the configuration decides. */
  allowed?: readonly string[];
}

/** Whether a URL is certainly one of this site. */
const isInside = (address: string): boolean => address === '' || /^[/#?](?![/\\\s])/.test(address);

/** The form of sources in the policies of this program. Policies of custom layouts may have others. */
const PLAIN_SOURCE = /^(?:'[^']+'|[a-z]+:\/\/[^/]+|data:)$/;

/** Types of scripts that contain data. */
const DATA_TYPES = new Set(['application/ld+json', 'application/json', 'speculationrules']);

function schemeOf(address: string): string | undefined {
  // Most URLs belong to this site. This check takes a tenth of the time of the full one.
  if (address.startsWith('/') || address.startsWith('#')) return undefined;
  return SCHEME.exec(address.replace(DROPPED, ''))?.[1]?.toLowerCase();
}

/** The value of an attribute. @param attributes alternating names and values. */
const attributeOf = (attributes: readonly string[], name: string): string | undefined =>
  attributes.find((_, index) => index % 2 === 1 && attributes[index - 1] === name);

/** Collects facts of a page, element by element. */
export class PageReader {
  readonly links = new Set<string>();
  readonly ids = new Set<string>();
  /** Icons that `<use>` draws, such as `#i-car`. Scripts of custom pages may add other elements. */
  readonly drawn = new Set<string>();
  hasHeading = false;
  hasText = false;
  /** Scripts, style sheets and forms with an absolute URL. */
  readonly outside: Outside[] = [];
  /** Markup that templates never write. It can only come from unescaped text. */
  readonly unsafe: string[] = [];
  /** The page's policy. */
  #ownPolicy: string | undefined;

  /** @param attributes alternating names and values. Names are unique and in lower case. */
  element(name: string, attributes: readonly string[]): void {
    if (name === 'h1') this.hasHeading = true;
    if (REFUSED_ELEMENTS.has(name)) this.unsafe.push(`<${name}>`);
    if (name === 'script') this.#script(attributes);
    if (name === 'meta') this.#meta(attributes);
    if (Object.hasOwn(POLICY_ATTRIBUTES, name))
      this.#policy(name as keyof typeof POLICY_ATTRIBUTES, attributes);
    const links = LINKS.get(name);
    for (let index = 0; index < attributes.length; index += 2) {
      const key = attributes[index] ?? '';
      const value = attributes[index + 1] ?? '';
      if (key === 'id') this.ids.add(`#${value}`);
      if (name === 'use' && key === 'href' && value.startsWith('#i-')) this.drawn.add(value);
      if (key.startsWith('on') || key === 'style' || key === 'srcdoc') {
        this.unsafe.push(`<${name} ${key}>`);
      } else if (ADDRESSES.has(key)) this.#address(name, key, value);
      if (!links || !Object.hasOwn(links, key)) continue;
      if (!LISTS.has(key)) this.#link(name, value, links[key]);
      else {
        for (const entry of value.split(',')) {
          this.#link(name, /\S+/.exec(entry)?.[0] ?? '', links[key]);
        }
      }
    }
  }

  #link(element: string, address: string, directive: Directive | undefined): void {
    this.links.add(address);
    if (directive === undefined || isInside(address)) return;
    const sources = (name: string) =>
      new RegExp(`(?:^|;)\\s*${name}\\s+([^;]*)`).exec(this.#ownPolicy ?? '')?.[1];
    const allowed = (sources(directive) ?? sources('default-src'))?.trim().split(/\s+/);
    if (!allowed?.every((source) => PLAIN_SOURCE.test(source))) return;
    this.outside.push({ element, directive, address, allowed });
  }

  #meta(attributes: readonly string[]): void {
    if (!/^content-security-policy$/i.test(attributeOf(attributes, 'http-equiv') ?? '')) return;
    // The reader of plain pages does not decode it.
    this.#ownPolicy = (attributeOf(attributes, 'content') ?? '').replaceAll('&#39;', "'");
  }

  #script(attributes: readonly string[]): void {
    if (attributeOf(attributes, 'src') !== undefined) return;
    if (!DATA_TYPES.has(attributeOf(attributes, 'type') ?? ''))
      this.unsafe.push('an inline script');
  }

  #policy(element: keyof typeof POLICY_ATTRIBUTES, attributes: readonly string[]): void {
    const [addressAttribute, directive] = POLICY_ATTRIBUTES[element];
    const address = attributeOf(attributes, addressAttribute) ?? '';
    if (isInside(address)) return;
    const isSheet = /\bstylesheet\b/i.test(attributeOf(attributes, 'rel') ?? '');
    if (element !== 'link' || isSheet) this.outside.push({ element, directive, address });
  }

  #address(name: string, key: string, value: string): void {
    const scheme = schemeOf(value);
    if (scheme === undefined || SAFE_SCHEMES.has(scheme)) return;
    const isPicture = name === 'img' || name === 'source' || name === 'link';
    if (!(scheme === 'data' && isPicture)) this.unsafe.push(`<${name} ${key}="${scheme}:…">`);
  }
}
