// The encoder process loads this file: no zod here, which takes a third of its start.
import type { Recipe } from '../recipes.ts';

/** From the line to the encoder process. */
export interface EncodeRequest {
  id: number;
  /** Hash of the bytes, see `contentHash`. */
  hash: string;
  /** File with the bytes: a megabyte in a message would be copied six times. */
  file: string;
  recipes: readonly Recipe[];
  maxPixels: number;
  /** Names of outputs that need not be made; other files in the folder are made anew. */
  have?: readonly string[];
  /** Folder that outputs are written to. */
  folder: string;
}

/** First message of the encoder process: all of its code is loaded. */
export const READY = 'ready';
