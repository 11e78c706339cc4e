import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { playerPage } from '../pages/player.ts';
import { watchPage } from '../pages/watch.ts';
import type { ServiceContext } from '../state/context.ts';
import { problem } from './answers.ts';

/** Player pages, and the pages of the "third-party" host: embeddable player and watch page. */
export function addVideoRoutes(app: OpenAPIHono, context: ServiceContext): void {
  const { data, baseUrl } = context;

  // Any site may frame the player, as embed snippets need that. The poster's host is named by its
  // address, because 'self' matches nothing inside a sandboxed frame.
  const send = (c: Context, html: string): Response =>
    c.html(html, 200, {
      'cache-control': 'public, max-age=300',
      'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: ${baseUrl}; frame-ancestors *; base-uri 'none'`,
    });

  app.get('/player/:id', (c) => {
    const id = c.req.param('id');
    const found = /^\d{1,15}$/.test(id) ? data.locate(Number(id)) : undefined;
    if (found?.item.type !== 'Video') return problem(c, 404, 'No such video');
    return send(c, playerPage(found, baseUrl));
  });

  app.get('/hosted/embed/:code', (c) => {
    const found = data.locateHosted(c.req.param('code'));
    if (!found) return problem(c, 404, 'No such video');
    const { autoplay, enablejsapi } = c.req.query();
    return send(
      c,
      playerPage(found, baseUrl, {
        autoplay: autoplay === '1',
        postsToParent: enablejsapi === '1',
      }),
    );
  });

  app.get('/hosted/watch', (c) => {
    const code = c.req.query('v') ?? '';
    const found = data.locateHosted(code);
    if (!found) return problem(c, 404, 'No such video');
    return send(c, watchPage(found, baseUrl, code));
  });
}
