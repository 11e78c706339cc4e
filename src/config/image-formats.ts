/** Formats of thumbnails, with the extensions of their files. */
export const IMAGE_FORMATS = { webp: 'webp', avif: 'avif', jpeg: 'jpg' } as const;

export type ImageFormat = keyof typeof IMAGE_FORMATS;

export const FORMAT_NAMES = Object.keys(IMAGE_FORMATS) as ImageFormat[];

/** End of a thumbnail's name, after the hash of the source: width, recipe and extension. */
const SUFFIX = `-\\d+-[0-9a-f]{6}\\.(?:${Object.values(IMAGE_FORMATS).join('|')})`;

export const OUTPUT_SUFFIX = new RegExp(`^${SUFFIX}$`);
/** Name of a thumbnail's file, whose folder has the first two digits of the hash. */
export const OUTPUT_FILE = new RegExp(`^[0-9a-f]{18}${SUFFIX}$`);
