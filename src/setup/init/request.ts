import { Secret } from '../../config/secret.ts';

/** Values of a request to the service, see interface section 4. */
export interface VendorRequest {
  /** Address of the service. */
  baseUrl: string;
  dealerId: string | undefined;
  customerId: string | undefined;
  pathId: string | undefined;
  key: Secret | undefined;
  /** Kind of the key. */
  kind: 'media' | 'batch';
}

/** Examples in documentation have `{dealerId}` or `<dealerId>` in place of a value. */
const PLACEHOLDER = /^$|[{}<>[\]]|^YOUR/i;

/**
 * Reads a complete request that someone entered in place of the service's address. Vendors give examples in that
 * form. Undefined for other texts.
 */
export function readRequest(text: string): VendorRequest | undefined {
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
    kind: pathId === '' ? 'media' : 'batch',
  };
}

/** Adds the scheme to an address that begins with a host name, as people write it. */
export const withScheme = (text: string): string =>
  /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?:[:/]|$)/u.test(text) ? `https://${text}` : text;
