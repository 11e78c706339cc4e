import type { OpenAPIHono } from '@hono/zod-openapi';
import { frontPage } from '../pages/front.ts';
import type { ServiceContext } from '../state/context.ts';

/** The root page, and the two addresses that browsers and crawlers request by themselves. */
export function addPageRoutes(app: OpenAPIHono, context: ServiceContext): void {
  app.get('/', (c) => c.html(frontPage(context)));
  app.get('/favicon.ico', (c) => c.body(null, 204));
  app.get('/robots.txt', (c) => c.text('User-agent: *\nDisallow: /\n'));
}
