import { z } from 'zod';

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
