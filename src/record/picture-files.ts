import { withChecksum, withoutChecksum } from '../files/checksum.ts';
import type { PictureRows } from './pictures.ts';

/** Below a cache or a store: what each configuration knows, dealer by dealer. */
export const RECORDS = 'records/';

/** Where the rows of a dealer's pictures lie, below a cache or a store. */
export const picturesName = (configuration: string, dealer: string): string =>
  `${RECORDS}${configuration}/${dealer}.pictures.json`;

/** Whether it is such a name. */
export const isPictures = (name: string): boolean => /\/\d+\.pictures\.json$/.test(name);

/** Rows, and when the dealer was last built with an answer of its service. */
export interface PictureFile extends PictureRows {
  confirmed?: number | undefined;
}

/** The text that {@link readPictures} reads: the same for the same rows. */
export const writePictures = ({ confirmed, sources, contents }: PictureFile): string =>
  withChecksum(JSON.stringify({ confirmed, sources, contents }));

/** @returns undefined where the text is torn. */
export function readPictures(text: string): PictureFile | undefined {
  const body = withoutChecksum(text);
  return body === undefined ? undefined : JSON.parse(body);
}
