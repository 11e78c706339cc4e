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

/** Deepest nesting. Useful texts have less than 10. Recursive functions can handle thousands. */
const DEEPEST = 64;
/** Most values. Useful texts of 128 MiB have half as many. As many bytes of empty objects would take 3 GB of memory. */
const MOST_VALUES = 8_000_000;

/** The quote that ends the JSON string beginning at `start`, or -1. */
function endOfString(text: Uint8Array, start: number): number {
  let end = text.indexOf(0x22, start + 1);
  while (end !== -1) {
    let first = end;
    while (text[first - 1] === 0x5c) first--;
    // After an odd number of backslashes, the quote is part of the string.
    if ((end - first) % 2 === 0) break;
    end = text.indexOf(0x22, end + 1);
  }
  return end;
}

/**
 * Whether a JSON text of unknown origin, in UTF-8, nests arrays and objects too deeply or has too many values to be
 * parsed. It is scanned without recursion.
 */
export function isTooComplex(text: Uint8Array): boolean {
  let depth = 0;
  let values = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text[index];
    if (code === 0x22) {
      index = endOfString(text, index);
      if (index === -1) return false;
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > DEEPEST || ++values > MOST_VALUES) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
    else if (code === 0x2c && ++values > MOST_VALUES) return true;
  }
  return false;
}
