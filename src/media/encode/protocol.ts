import type { Recipe } from '../recipes.ts';
import type { PictureFault } from './picture.ts';

/** From the line to the encoder process. */
export interface EncodeRequest {
  id: number;
  /** Hash of the bytes, see `contentHash`. */
  hash: string;
  /** File that holds the bytes: cheaper than a megabyte in a message, which is copied six times. */
  file: string;
  recipes: readonly Recipe[];
  maxPixels: number;
  /** Folder that outputs are written to. */
  folder: string;
}

export interface EncodeSuccess {
  /** Pixels, once the orientation is applied. */
  width: number;
  height: number;
  /** Mean colour as six hex digits. */
  colour: string;
  made: { name: string; bytes: number }[];
}

/** From the encoder process to the line. */
export type EncodeReply =
  | ({ id: number; ok: true } & EncodeSuccess)
  | { id: number; ok: false; code: PictureFault; message: string };
