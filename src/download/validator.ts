/** An `ETag`, or `@` and a `Last-Modified`, in valid characters for a header. Empty if there is neither. */
export const VALIDATOR = /^@?[\x20-\x7e]{0,512}$/;

/**
 * Validator of a response, for the next conditional request. With an `ETag`, the time is omitted: servers ignore it
 * (RFC 9110, 13.1.3), and it may differ for equal bytes.
 */
export function toValidator(etag: string | undefined, lastModified: string | undefined): string {
  const text = etag || (lastModified && `@${lastModified}`) || '';
  return VALIDATOR.test(text) && !etag?.startsWith('@') ? text : '';
}

/** The headers of a conditional request. None if the validator is empty. */
export function conditionOf(validator: string): Record<string, string> {
  if (validator === '') return {};
  return validator.startsWith('@')
    ? { 'if-modified-since': validator.slice(1) }
    : { 'if-none-match': validator };
}
