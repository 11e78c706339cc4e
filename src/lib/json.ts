import type { z } from 'zod';

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** The value of a JSON text that matches a schema. Undefined for other texts. */
export function matchingJson<T>(text: string | Uint8Array, schema: z.ZodType<T>): T | undefined {
  try {
    const json = typeof text === 'string' ? text : UTF8.decode(text);
    return schema.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}
