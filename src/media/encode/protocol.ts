import type { Content, Recipe } from '../recipes.ts';
import type { PictureFault } from './picture.ts';

/** From the line to the encoder process. */
export interface EncodeRequest {
  id: number;
  bytes: Buffer;
  recipes: readonly Recipe[];
  maxPixels: number;
  /** Folder that outputs are written to. */
  folder: string;
}

export interface EncodeSuccess {
  content: Content;
  colour: string;
  made: { name: string; bytes: number }[];
}

/** From the encoder process to the line. */
export type EncodeReply =
  | ({ id: number; ok: true } & EncodeSuccess)
  | { id: number; ok: false; code: PictureFault; message: string };
