import { getMimeType } from 'hono/utils/mime';

/**
 * Media type of a file by the ending of its name, with its charset. Undefined if the ending is not
 * known. The table is that of the server behind `npm run preview`, so hosts serve the same types.
 */
export const mimeTypeOf = (file: string): string | undefined => getMimeType(file);
