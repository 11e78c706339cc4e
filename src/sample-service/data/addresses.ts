/** Prefix of every code of the hosted-video pages. */
const CODE_PREFIX = 'hv';
const CODE_DIGITS = 9;

/** The hosted-video code of a media item: eleven letters and digits that name the item. */
export function hostedCode(mediaId: number): string {
  return CODE_PREFIX + mediaId.toString(36).padStart(CODE_DIGITS, '0');
}

/** The media item a hosted-video code names, or undefined where it is no such code. */
export function mediaIdOfCode(code: string): number | undefined {
  if (!/^hv[0-9a-z]{9}$/.test(code)) return undefined;
  return Number.parseInt(code.slice(CODE_PREFIX.length), 36);
}
