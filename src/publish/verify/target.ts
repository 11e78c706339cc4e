/** Addresses that need no resolving: from the root, without dot segments, nothing encoded. */
const PLAIN_LINK = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+\/?$/;

const PLAIN_FILE = /^[\w./~-]+$/;
/** Scheme and host of an absolute address, in the form that needs no URL parser. */
const AUTHORITY = /^https?:\/\/[^/?#\\@\p{Cc}\s]+(?=[/?#]|$)/u;
/** Cache of origins by scheme and host: pages link to few other sites, many times. */
const origins = new Map<string, string | undefined>();

function originOf(authority: string): string | undefined {
  if (!origins.has(authority)) {
    if (origins.size >= 1000) origins.clear();
    origins.set(authority, URL.parse(authority)?.origin);
  }
  return origins.get(authority);
}

/** The file that an internal address resolves to; undefined for addresses of other sites. */
export function targetOf(
  link: string,
  from: string,
  origin: string,
  base: string,
): string | undefined {
  // Nearly all links are of this form, and parsing an address takes ten times as long.
  if (PLAIN_LINK.test(link)) {
    if (!link.startsWith(`${base}/`)) return undefined;
    const plain = link.slice(base.length + 1);
    return plain === '' || plain.endsWith('/') ? `${plain}index.html` : plain;
  }
  if (link.startsWith('#') && PLAIN_FILE.test(from)) return from;
  const [authority] = AUTHORITY.exec(link) ?? [];
  if (authority !== undefined && originOf(authority) !== origin) return undefined;
  const page = new URL(`${origin}${base}/${from}`);
  const url = URL.parse(link, page.href);
  if (url === null || url.origin !== page.origin) return undefined;
  if (!url.pathname.startsWith(`${base}/`)) return undefined;
  const encoded = url.pathname.slice(base.length + 1);
  let file: string;
  try {
    file = decodeURIComponent(encoded);
  } catch {
    // `%` without digits: no file has such a name, so it is reported as a broken link.
    file = encoded;
  }
  return file === '' || file.endsWith('/') ? `${file}index.html` : file;
}
