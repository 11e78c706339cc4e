/** What a conditional request is compared with. */
export interface CurrentValidators {
  /** Strong ETag, quotes included. */
  etag: string;
  /** Milliseconds since 1970, whole seconds. */
  lastModified: number;
}

/**
 * Whether the caller's copy is still good (RFC 9110, 13.1): If-None-Match decides where it is
 * given, If-Modified-Since only without it.
 */
export function isFresh(headers: Headers, { etag, lastModified }: CurrentValidators): boolean {
  const noneMatch = headers.get('if-none-match');
  if (noneMatch !== null) {
    return noneMatch
      .split(',')
      .map((tag) => tag.trim().replace(/^W\//, ''))
      .some((tag) => tag === '*' || tag === etag);
  }
  const since = Date.parse(headers.get('if-modified-since') ?? '');
  return Number.isFinite(since) && lastModified <= since;
}
