import path from 'node:path';
import type { Context, Hono } from 'hono';
import nunjucks from 'nunjucks';
import { type MediaLocation, withBaseUrl } from '../data/store.ts';
import { type PictureSpec, pictureSpec } from '../drawing/spec.ts';
import { batchesUrl, mediaUrl, problem, type ServiceContext } from './operations.ts';

const PICTURES_SHOWN = 6;
const CACHED = { 'cache-control': 'public, max-age=300' };

/** Whether the caller's copy is current (RFC 9110, 13.1). If-Modified-Since counts only without If-None-Match. */
function isFresh(headers: Headers, etag: string, lastModified: number): boolean {
  const noneMatch = headers.get('if-none-match');
  if (noneMatch === null) {
    const since = Date.parse(headers.get('if-modified-since') ?? '');
    return Number.isFinite(since) && lastModified <= since;
  }
  const tags = noneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}

/** Pictures: `/pictures/ID.jpg` for images, `/posters/ID.jpg` for the still of a video. */
export function addPictures(app: Hono, { data, pictures }: ServiceContext): void {
  const send = async (
    c: Context,
    location: MediaLocation,
    spec: PictureSpec,
  ): Promise<Response> => {
    const revision = data.pictures.get(location.item.id)?.revision ?? 0;
    const updated = Date.parse(location.vehicle.dateUpdated);
    const etag = pictures.etag(spec);
    const lastModified = (Math.floor(updated / 1000) + revision) * 1000;
    const headers = { etag, 'last-modified': new Date(lastModified).toUTCString(), ...CACHED };
    if (isFresh(c.req.raw.headers, etag, lastModified)) return c.body(null, 304, headers);
    const bytes = await pictures.get(spec);
    return c.body(new Uint8Array(bytes), 200, {
      ...headers,
      'content-type': 'image/jpeg',
      'content-length': String(bytes.length),
    });
  };

  for (const [folder, type] of [
    ['pictures', 'Image'],
    ['posters', 'Video'],
  ] as const) {
    app.get(`/${folder}/:name`, (c) => {
      const [, id] = /^(\d{1,15})\.jpg$/.exec(c.req.param('name') ?? '') ?? [];
      const location = id === undefined ? undefined : data.locate(Number(id));
      const override = location && data.pictures.get(location.item.id);
      if (location?.item.type !== type || override?.deleted)
        return problem(c, 404, 'No such picture');
      return send(c, location, pictureSpec(pictures, location, override));
    });
  }
}

/** The HTML pages: the front page, player pages, and pages of the "third-party" video host. */
export function addPages(app: Hono, context: ServiceContext): void {
  const { data, baseUrl } = context;
  const templates = new nunjucks.FileSystemLoader(path.join(import.meta.dirname, '..', 'pages'));
  const pages = new nunjucks.Environment(templates, { autoescape: true, trimBlocks: true });

  app.get('/', (c) => {
    const pictures = data.dealers
      .flatMap(({ vehicles }) => vehicles)
      .flatMap(({ mediaList }) => mediaList.find(({ type }) => type === 'Image') ?? [])
      .slice(0, PICTURES_SHOWN);
    const page = pages.render('front.njk', {
      ...context,
      pictures: withBaseUrl(pictures, baseUrl),
      dealers: data.dealers.map((dealer) => ({ ...dealer, url: mediaUrl(context, dealer) })),
      accounts: data.accounts.map((one) => ({ ...one, url: batchesUrl(context, one) })),
    });
    return c.html(page);
  });
  // Browsers and crawlers request these two automatically.
  app.get('/favicon.ico', (c) => c.body(null, 204));
  app.get('/robots.txt', (c) => c.text('User-agent: *\nDisallow: /\n'));

  // Embed snippets need any site to frame the player. The policy contains the URL of the poster's host,
  // because 'self' matches nothing inside a sandboxed frame.
  const send = (
    c: Context,
    template: string,
    location: MediaLocation | undefined,
    extras: object = {},
  ) => {
    if (location?.item.type !== 'Video') return problem(c, 404, 'No such video');
    return c.html(pages.render(template, { ...location, ...extras, baseUrl }), 200, {
      ...CACHED,
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
