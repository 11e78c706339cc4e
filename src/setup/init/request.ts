import { Secret } from '../../config/secret.ts';

/** Examples in documentation have `{dealerId}` or `<dealerId>` in place of a value. */
const PLACEHOLDER = /^$|[{}<>[\]]|^YOUR/i;

export type VendorRequest = NonNullable<ReturnType<typeof readRequest>>;

/**
 * Reads a complete request to the service (interface section 4) that someone entered in place of its address. Vendors
 * give examples in that form. Undefined for other texts.
 */
export function readRequest(text: string) {
  const url = URL.parse(text);
  if (!url || url.username || url.password) return undefined;
  const [, base, operation = ''] = /^(.*?)\/PublicAPI\b\/?(.*)$/i.exec(url.pathname) ?? [];
  if (base === undefined) return undefined;
  const [, pathId = ''] = /^MyVideos\/v1\/cakes\/([^/]+)/i.exec(operation) ?? [];
  // Decoded like a query: `decodeURIComponent` throws for a single "%".
  const ofPath = new URLSearchParams(`pathId=${pathId.replaceAll('+', '%2B')}`);
  const query = new URLSearchParams([...url.searchParams, ...ofPath]);
  const value = (name: string): string | undefined => {
    const given = query.get(name)?.trim() ?? '';
    return PLACEHOLDER.test(given) ? undefined : given;
  };
  const key = value('apiKey');
  return {
    baseUrl: `${url.origin}${base}`,
    dealerId: value('dealerId'),
    customerId: value('customerId'),
    pathId: value('pathId'),
    key: key === undefined ? undefined : new Secret(key),
    /** Kind of the key. */
    kind: pathId === '' ? ('media' as const) : ('batch' as const),
  };
}

/** Adds the scheme to an address that begins with a host name, as people write it. */
export const withScheme = (text: string): string =>
  /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?:[:/]|$)/u.test(text) ? `https://${text}` : text;
