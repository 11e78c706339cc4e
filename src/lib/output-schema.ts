import { z } from 'zod';

/** An error in the output of a command. */
export const problemSchema = z.strictObject({
  code: z.string().describe('Stable code, listed in docs/errors.md.'),
  what: z.string(),
  why: z.string().optional(),
  fix: z.string().optional().describe('What to do.'),
});

/**
 * JSON Schema of an output. A later version may add fields, so readers must accept unknown ones.
 * If the zod schema is strict, a build also checks that it writes only documented fields.
 */
export const outputSchema = (schema: z.ZodType) =>
  z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
