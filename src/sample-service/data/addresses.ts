/** Stands for the service's own address inside stored addresses and snippets. */
export const BASE_URL = '{base_url}';

/** A value of JSON with `{base_url}` in every text replaced by the service's own address. */
export const withBaseUrl = <T>(value: T, baseUrl: string): T =>
  JSON.parse(JSON.stringify(value).replaceAll(BASE_URL, baseUrl));

/** Prefix of every code of the hosted-video pages. */
const CODE_PREFIX = 'hv';
const CODE_DIGITS = 9;

/** The hosted-video code of a media item: eleven letters and digits that name the item. */
export function hostedCode(mediaId: number): string {
  return CODE_PREFIX + mediaId.toString(36).padStart(CODE_DIGITS, '0');
}

/** The media item that a hosted-video code names. Undefined if it is no such code. */
export function mediaIdOfCode(code: string): number | undefined {
  if (!/^hv[0-9a-z]{9}$/.test(code)) return undefined;
  return Number.parseInt(code.slice(CODE_PREFIX.length), 36);
}
