import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ZodType } from 'zod';

/** A JSON answer as OpenAPI describes it. */
export function json(description: string, schema: ZodType) {
  return { description, content: { 'application/json': { schema } } };
}

/** An error in the form of interface section 7. */
export function problem(c: Context, status: ContentfulStatusCode, message: string): Response {
  return c.json({ Success: false, Message: message }, status, { 'cache-control': 'no-store' });
}
