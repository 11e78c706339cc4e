import path from 'node:path';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import nunjucks from 'nunjucks';
import type { Located } from '../data/store.ts';
import { type ServiceContext, withBaseUrl } from '../state/context.ts';
import { problem } from './answers.ts';
import { batchesUrl } from './batches.ts';
import { mediaUrl } from './media.ts';

const PICTURES_SHOWN = 6;

/** The pages for people: the front page, player pages, and those of the "third-party" video host. */
export function addPageRoutes(app: OpenAPIHono, context: ServiceContext): void {
  const { data, baseUrl } = context;
  const templates = new nunjucks.FileSystemLoader(path.join(import.meta.dirname, '..', 'pages'));
  const pages = new nunjucks.Environment(templates, { autoescape: true, trimBlocks: true });

  app.get('/', (c) => {
    const pictures = data.dealers
      .flatMap(({ vehicles }) => vehicles)
      .flatMap(({ mediaList }) => mediaList.find(({ type }) => type === 'Image') ?? [])
      .slice(0, PICTURES_SHOWN);
    return c.html(
      pages.render('front.njk', {
        ...context,
        title: 'Sample service',
        pictures: withBaseUrl(pictures, baseUrl),
        dealers: data.dealers.map((dealer) => ({ ...dealer, url: mediaUrl(context, dealer) })),
        accounts: data.accounts.map((account) => ({
          ...account,
          url: batchesUrl(context, account),
        })),
      }),
    );
  });
  // Browsers and crawlers request these two automatically.
  app.get('/favicon.ico', (c) => c.body(null, 204));
  app.get('/robots.txt', (c) => c.text('User-agent: *\nDisallow: /\n'));

  // Any site may frame the player, as embed snippets need that. The poster's host is named by its
  // address, because 'self' matches nothing inside a sandboxed frame.
  const send = (c: Context, template: string, found: Located | undefined, more: object = {}) => {
    if (found?.item.type !== 'Video') return problem(c, 404, 'No such video');
    const title =
      template === 'watch.njk' ? `${found.item.label} – ${found.dealer.name}` : found.item.label;
    return c.html(pages.render(template, { ...found, ...more, title, baseUrl }), 200, {
      'cache-control': 'public, max-age=300',
      'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: ${baseUrl}; frame-ancestors *; base-uri 'none'`,
    });
  };
  app.get('/player/:id', (c) => {
    const id = c.req.param('id');
    return send(c, 'player.njk', /^\d{1,15}$/.test(id) ? data.locate(Number(id)) : undefined);
  });
  app.get('/hosted/embed/:code', (c) => {
    const { autoplay, enablejsapi } = c.req.query();
    return send(c, 'player.njk', data.locateHosted(c.req.param('code')), {
      autoplay: autoplay === '1',
      postsToParent: enablejsapi === '1',
    });
  });
  app.get('/hosted/watch', (c) => {
    const code = c.req.query('v') ?? '';
    return send(c, 'watch.njk', data.locateHosted(code), { code });
  });
}
