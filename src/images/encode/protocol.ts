// The encoder process imports only types from here. Loading zod would take a third of its start time.
import { z } from 'zod';
import { colourSchema, fingerprintSchema, hashSchema, sideSchema } from '../../record/pictures.ts';
import { isOutputName, type Recipe } from '../recipes.ts';

/** From the build to the encoder process. */
export interface EncodeRequest {
  id: number;
  /** Hash of the bytes, see `contentHash`. */
  hash: string;
  /** File with the bytes: a megabyte in a message would be copied six times. */
  file: string;
  recipes: readonly Recipe[];
  maxPixels: number;
  /** Names of existing outputs. Other files in the folder are made again. */
  have?: readonly string[];
  /** Folder that outputs are written to. */
  folder: string;
}

const successSchema = z.strictObject({
  id: z.int(),
  ok: z.literal(true),
  content: z.strictObject({
    hash: hashSchema,
    width: sideSchema,
    height: sideSchema,
  }),
  colour: colourSchema,
  newOutputs: z.array(
    z.strictObject({
      name: z.string().refine(isOutputName),
      bytes: z.int().min(0),
      fingerprint: fingerprintSchema,
    }),
  ),
});

const failureSchema = z.strictObject({
  id: z.int(),
  ok: z.literal(false),
  code: z.enum(['picture-format', 'picture-too-large', 'picture-undecodable']),
  message: z.string().max(1000),
});

/**
 * From the encoder process to the build. That process has read hostile bytes, so its replies are
 * validated like any other input: names become paths, and colours become markup.
 */
export const encodeReplySchema = z.discriminatedUnion('ok', [successSchema, failureSchema]);

export type EncodeReply = z.infer<typeof encodeReplySchema>;
export type EncodeSuccess = Omit<z.infer<typeof successSchema>, 'id' | 'ok'>;
