import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Located } from '../data/store.ts';
import { type PictureSpec, pictureSpec, posterSpec } from '../drawing/spec.ts';
import type { ServiceContext } from '../state/context.ts';
import { problem } from './answers.ts';
import { isFresh } from './conditional.ts';

/** Pictures: `/pictures/ID.jpg` for images, `/posters/ID.jpg` for the still of a video. */
export function addPictureRoutes(app: OpenAPIHono, context: ServiceContext): void {
  const { data, pictures } = context;

  const send = async (c: Context, found: Located, spec: PictureSpec): Promise<Response> => {
    const revision = data.pictures.get(found.item.id)?.revision ?? 0;
    const updated = Date.parse(found.vehicle.dateUpdated);
    const validators = {
      etag: pictures.etag(spec),
      lastModified: (Math.floor(updated / 1000) + revision) * 1000,
    };
    const headers = {
      etag: validators.etag,
      'last-modified': new Date(validators.lastModified).toUTCString(),
      'cache-control': 'public, max-age=300',
    };
    if (isFresh(c.req.raw.headers, validators)) return c.body(null, 304, headers);
    const bytes = await pictures.get(spec);
    return c.body(new Uint8Array(bytes), 200, {
      ...headers,
      'content-type': 'image/jpeg',
      'content-length': String(bytes.length),
    });
  };

  const located = (name: string | undefined, type: 'Image' | 'Video') => {
    const [, id] = /^(\d{1,15})\.jpg$/.exec(name ?? '') ?? [];
    const found = id === undefined ? undefined : data.locate(Number(id));
    if (found?.item.type !== type) return undefined;
    return data.pictures.get(found.item.id)?.deleted ? undefined : found;
  };

  app.get('/pictures/:name', (c) => {
    const found = located(c.req.param('name'), 'Image');
    if (!found) return problem(c, 404, 'No such picture');
    return send(c, found, pictureSpec(pictures, found, data.pictures.get(found.item.id)));
  });

  app.get('/posters/:name', (c) => {
    const found = located(c.req.param('name'), 'Video');
    if (!found) return problem(c, 404, 'No such picture');
    return send(c, found, posterSpec(pictures, found, data.pictures.get(found.item.id)));
  });
}
